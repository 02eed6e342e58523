"""Writes mailboxes with Python's own `mailbox` and `email`, as another program would.

Usage: python3 write_mailboxes.py DIRECTORY
"""

import email.message
import email.policy
import mailbox
import pathlib
import sys
from email.mime.text import MIMEText

root = pathlib.Path(sys.argv[1])


def message(body="Our new bank account is 44718829.", **headers):
    it = email.message.EmailMessage(policy=email.policy.SMTP.clone(max_line_length=998))
    fields = {
        "From": "Jo Doe <Jo@Example.com>",
        "To": "bo@example.org, Cy <CY@example.org>",
        "Subject": "Accounts",
        "Date": "Tue, 15 May 2001 10:27:00 +0200",
        "Message-ID": "<one@example.com>",
    }
    fields.update({key.replace("_", "-"): value for key, value in headers.items()})
    for key, value in fields.items():
        if value is not None:
            it[key] = value
    if body is not None:
        it.set_content(body)
    return it


def legacy(text, charset, subject="Accounts"):
    it = MIMEText(text, "plain", charset)
    it["From"] = "jo@example.com"
    it["Subject"] = subject
    return it


alternative = message()
alternative.add_alternative("<p>Our new bank account is <b>44718829</b>.</p>", subtype="html")

html_only = message(body=None, Message_ID="<html@example.com>")
html_only.set_content(
    "<html><head><style>p{color:red}</style><title>x</title></head><body>"
    "<p>Our new bank&nbsp;account is <b>44718829</b>.</p><script>alert(1)</script>"
    "<p>Pay <a href='https://pay.example/now'>here</a> &amp; soon.</p>"
    "<blockquote>The old one is closed.</blockquote></body></html>",
    subtype="html",
)

attached = message(Message_ID="<attached@example.com>")
attached.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="règlement.pdf")
attached.add_attachment("a,b\n1,2\n", subtype="csv", filename="rows.csv")

inner = message(body="The fee is $30.", Subject="Fee", From="cy@example.org", Message_ID="<inner@example.org>")
nested = message(body="See the attached mail.", Message_ID="<nested@example.com>")
nested.add_attachment(inner)

reply = message(
    body="I disagree.\n\nOn Tue, 15 May 2001, Bo wrote:\n> The fee is $30.\n> Pay it.\n\nThanks, Jo\n",
    Message_ID="<reply@example.com>",
    In_Reply_To="<bo@example.org>",
    References="<root@example.org> <bo@example.org>",
)
forward = message(
    body="FYI\n\n---------- Forwarded message ---------\nFrom: Cy <cy@example.org>\nDate: Mon, 14 May 2001\n"
    "Subject: Fee\nTo: Jo <jo@example.com>\n\nThe fee is $30.\n",
    Message_ID="<forward@example.com>",
)
escaped = message(body="From the start:\n\nFrom here on\nwe pay in advance.\n", Message_ID="<escaped@example.com>")
undated = message(Date=None, Message_ID="<undated@example.com>")
# The old policy keeps a header as it is; the new one would add `-0000`.
unzoned = legacy("Our new bank account is 44718829.", "us-ascii")
unzoned["Date"] = "Tue, 15 May 2001 10:27:00"
unnamed = message(Message_ID=None)
twice = message(body="The same again.")
quoted_printable = message()
quoted_printable.set_content("Ünïcode: " + "é" * 120, cte="quoted-printable")
base64 = message()
base64.set_content("Ключ: 44718829", cte="base64")
senderless = message(From=None)
empty = message(body="", Subject=None)

everything = [
    alternative, html_only, attached, nested, reply, forward, escaped, undated, unzoned, unnamed, twice,
    quoted_printable, base64,
    legacy("Grüße: 5 €", "windows-1252"),
    legacy("Grüße", "iso-8859-1", "Grüße"),
    legacy("Счёт закрыт", "koi8-r", "Счёт"),
    legacy("Konto größer", "utf-16"),
    senderless, empty,
]

box = mailbox.mbox(root / "all.mbox")
for it in everything:
    box.add(it)
box.flush()

directory = mailbox.Maildir(root / "maildir")
seen = mailbox.MaildirMessage(alternative)
seen.set_subdir("cur")
seen.set_flags("S")
directory.add(seen)
directory.add(reply)
sent = directory.add_folder("Sent")
sent.add(forward)

(root / "one.eml").write_bytes(nested.as_bytes())
whole = attached.as_bytes()
(root / "cut.eml").write_bytes(whole[: len(whole) - 40])
deep = message(body="deepest")
for depth in range(40):
    outer = message(body=f"depth {depth}")
    outer.add_attachment(deep)
    deep = outer
(root / "deep.eml").write_bytes(deep.as_bytes())
