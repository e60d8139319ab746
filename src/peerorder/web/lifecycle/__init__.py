"""An assignment's way through its stages: transitions, warnings, previews, notifications, export."""
