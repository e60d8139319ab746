"""nginx in front of the app, with the configuration of the documentation, on ports and in a folder of its own."""

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.web.processes import free_port, until

DOCUMENTED = Path(__file__).parents[2] / "docs" / "nginx.conf"
# What Debian's own nginx.conf has around it, but for folders.
AROUND = """
{user}
pid {folder}/nginx.pid;
error_log {folder}/main-error.log;
worker_processes auto;
daemon off;
events {{ worker_connections 768; }}
http {{
    sendfile on;
    tcp_nopush on;
    server_tokens off;
    default_type application/octet-stream;
    gzip on;
    access_log {folder}/main-access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/peerorder.conf;
}}
"""


def program() -> str | None:
    """nginx, where the machine has it; it need not be on the path of everybody."""
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")


def documented(folder: Path, app: int, tls: int, plain: int) -> str:
    """The configuration of the documentation with other ports, names and folders, and without IPv6."""
    text = DOCUMENTED.read_text("utf-8")
    changes = {
        r"listen \[::\]:\d+[^;]*;\n": "",
        r"listen 443 ": f"listen 127.0.0.1:{tls} ",
        r"listen 80;": f"listen 127.0.0.1:{plain};",
        r"peers\.example\.edu;": "localhost;",
        r"/etc/letsencrypt/\S+/fullchain\.pem": f"{folder}/certificate.pem",
        r"/etc/letsencrypt/\S+/privkey\.pem": f"{folder}/key.pem",
        r"/var/log/nginx/": f"{folder}/",
        r"127\.0\.0\.1:8000": f"127.0.0.1:{app}",
    }
    for old, new in changes.items():
        text, count = re.subn(old, new, text)
        assert count, f"the documentation no longer says {old}"
    return text


@dataclass(frozen=True)
class Proxy:
    """A running nginx."""

    folder: Path
    tls: int
    plain: int

    @property
    def url(self) -> str:
        return f"https://localhost:{self.tls}"

    def logs(self) -> str:
        """Everything that it has logged."""
        return "".join(path.read_text("utf-8", "replace") for path in sorted(self.folder.glob("*.log")))


def trusting() -> ssl.SSLContext:
    """For clients: the certificate is made for one test, and nobody has signed it."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@contextmanager
def nginx(folder: Path, app: int) -> Iterator[Proxy]:
    """nginx in front of the app on this port, until the end of the block."""
    where = program()
    assert where is not None
    folder.mkdir()
    proxy = Proxy(folder, free_port(), free_port())
    request = (
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=localhost",
    )
    files = ("-keyout", folder / "key.pem", "-out", folder / "certificate.pem", "-days", "2")
    subprocess.run(["openssl", *request, *files], check=True, capture_output=True)
    (folder / "peerorder.conf").write_text(documented(folder, app, proxy.tls, proxy.plain))
    # As root its workers would be another user, who may not enter the folder of a test.
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    command = [where, "-e", folder / "start.log", "-p", folder, "-c", folder / "nginx.conf"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: server.poll() is not None or _answers(proxy.tls))
        assert server.poll() is None, proxy.logs()
        yield proxy
    finally:
        server.terminate()
        server.wait(60)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
