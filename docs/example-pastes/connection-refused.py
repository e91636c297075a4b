# Ran with Python 3.11.7, requests 2.34.2, urllib3 2.8.0.
import requests

TOKEN_URL = "http://127.0.0.1:8099/oauth/token"


def fetch_token() -> str:
    answer = requests.post(TOKEN_URL, data={"grant_type": "client_credentials"}, timeout=5)
    answer.raise_for_status()
    return answer.json()["access_token"]


print(fetch_token())
