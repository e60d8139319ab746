"""Running the web app: settings from outside, the processes, upgrades, backups, staff accounts, health checks."""
