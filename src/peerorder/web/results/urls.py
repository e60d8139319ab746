"""Addresses of results, marks, comments and releases."""

app_name = "results"
urlpatterns: list[object] = []
