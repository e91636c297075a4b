# Ran with Python 3.11.7, jinja2 3.1.6.
from jinja2 import DictLoader, Environment, StrictUndefined

PAGES = {
    "base.html": "<h1>{% block title %}{% endblock %}</h1>\n",
    "receipt.html": (
        "{% extends 'base.html' %}\n"
        "{% block title %}\n"
        "Receipt for {{ order.buyer.name }}\n"
        "{% endblock %}\n"
    ),
}


def render_receipt(order: dict) -> str:
    pages = Environment(loader=DictLoader(PAGES), undefined=StrictUndefined)
    return pages.get_template("receipt.html").render(order=order)


print(render_receipt({"number": 1042, "total": "18.20"}))
