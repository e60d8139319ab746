"""What a browser calls itself, in few words: enough to recognise one's own devices."""

from django.utils.translation import gettext as _

# In this order: most browsers also claim to be those further down.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def describe_device(user_agent: str) -> str:
    """Return browser and system, as "Firefox, Windows"; nothing that identifies a device is kept."""
    names = (next((name for sign, name in signs if sign in user_agent), "") for signs in (BROWSERS, SYSTEMS))
    return ", ".join(name for name in names if name) or _("Unknown device")
