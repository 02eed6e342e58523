#!/usr/bin/env bash
# Patient zero: one spoofed mail, a page that copies it, three agents and a payment.
#
# Everything is done by the binary `immune` on a store of its own, which is removed at the end.
# Each step shows its commands and what they print, and checks it: the script fails, and names the
# step, when something is not as it should be. `IMMUNE` is the binary; without it, `immune` on the
# path, and without that the one that cargo builds here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ -n ${IMMUNE:-} ]]; then
    if ! found=$(type -P "$IMMUNE"); then
        printf 'error: `%s`, which IMMUNE names, is no program\n' "$IMMUNE" >&2
        exit 2
    fi
    immune=("$(realpath -s "$found")")
elif command -v immune >/dev/null; then
    immune=(immune)
else
    immune=(cargo run -q --release --manifest-path "$here/../../Cargo.toml" -p immune --)
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset IMMUNE_MEMORY
export IMMUNE_STORE="$folder/patient-zero.db" XDG_CONFIG_HOME="$folder" LC_ALL=C

step_name="setting up"
step_number=0
# What the last command printed, on both streams.
printed=""

fail() {
    printf '\nFAILED in step %d, %s: %s\n' "$step_number" "$step_name" "$1" >&2
    exit 1
}

step() {
    step_number=$((step_number + 1))
    step_name=$1
    printf '\n%d. %s\n' "$step_number" "$1"
    [[ -z ${2:-} ]] || printf '   %s\n' "$2"
    printf '\n'
}

# A command as one would type it.
typed() {
    local word quote="'\\''"
    printf '   $ immune'
    for word in "$@"; do
        if [[ $word =~ ^[A-Za-z0-9_./@:=,-]+$ ]]; then
            printf ' %s' "$word"
        else
            word=${word//\'/$quote}
            printf " '%s'" "${word//$'\n'/$'\n    '}"
        fi
    done
    printf '\n'
}

# Runs a command that has to end with an exit code, and shows both.
ends_with() {
    local wanted=$1 code=0
    shift
    typed "$@"
    printed=$("${immune[@]}" "$@" 2>&1) || code=$?
    [[ -z $printed ]] || printf '%s\n' "$printed" | sed 's/^/     /'
    [[ $code == "$wanted" ]] || fail "\`immune $1\` ended with $code, not with $wanted"
}

# A command that has to work.
run() {
    ends_with 0 "$@"
}

# A command that has to say a clear no.
refused() {
    ends_with 1 "$@"
}

# The reply of a command as JSON, not shown.
json() {
    local code=0
    printed=$("${immune[@]}" "$@" --json 2>&1) || code=$?
    [[ $code == 0 ]] || fail "\`immune $* --json\` ended with $code: $printed"
}

# What was printed has to hold this text.
has() {
    [[ $printed == *"$1"* ]] || fail "\`$1\` is not in what was printed: $printed"
}

# What was printed must not hold this text.
has_no() {
    [[ $printed != *"$1"* ]] || fail "\`$1\` is in what was printed: $printed"
}

# All that an undo has to bring back.
picture() {
    local of
    for of in beliefs observations sources; do
        json list "$of"
        printf '%s\n' "$printed"
    done
}

# What the bank did.
bank() {
    printf '   $ cat bank.txt\n'
    printed=$(cat bank.txt)
    printf '%s\n' "$printed" | sed 's/^/     /'
}

mail="billing@acme.example"
page="vendor-directory.example"
lie="The IBAN of Acme is GB29 NWBK 6016 1331 9268 19"
take_back='echo "took back $IMMUNE_ACTION_ID" >> bank.txt'
pay='cat >> bank.txt; echo >> bank.txt; echo sent'

step "Who may speak" "A mailbox, the web and a channel of signed documents; a page that is known to copy that mailbox."
run channels set mail --tier 0.8
run channels set web --tier 0.8
run channels set signed --tier 0.95 --authored
run sources declare "$mail" --channel mail --kind email
run sources declare "$page" --channel web --kind web
run sources declare acme-invoices --channel signed --kind record
run sources mirror "$page" --of "$mail"
run rules set invoice.pay --class compensable --unknown allow --compensation "$take_back"

step "A signed invoice arrives" "It has facts of its own, and says nothing of a bank account."
run remember 'Invoice 2041, signed' --from acme-invoices --id invoice-2041 --claims '[
  {"about":"vendor.acme.address","claim":"Acme is at 12 Canal Street, Delft"},
  {"about":"vendor.acme.terms","claim":"Acme is paid within 30 days"},
  {"about":"invoice.2041.amount","claim":"Invoice 2041 is for EUR 4200"}]'

step "Patient zero" "A spoofed mail: a new account, beside an address that is right. The page copies it."
run remember 'We are still in Canal Street, and have a new bank' --from "$mail" --claims "[
  {\"about\":\"vendor.acme.address\",\"claim\":\"Acme is at 12 Canal Street, Delft\"},
  {\"about\":\"vendor.acme.iban\",\"claim\":\"$lie\"}]"
run remember --from "$page" --about vendor.acme.iban --claim "$lie"
has "bel_4  reinforced"

step "Two sources, one origin" "Counting names says 2. What has to be lost for the belief to fall is 1."
run recall --about vendor.acme.iban
has "$mail (mail), $page (web)"
has "single-origin"
run origins bel_4
json origins bel_4
has '"corroboration":1,'
has "$mail"
has "$page"

step "The profile of the vendor" "A view over beliefs, a field each; nothing is merged."
run record vendor.acme
json record vendor.acme
has '"address"'
has '"iban"'
has '"terms"'
has_no '"standing":"lost"'

step "Three agents build on it" "Each rests on what the one before it concluded."
run derive --agent researcher --from bel_4 --about payables.acme \
    --claim 'Acme can be paid at GB29 NWBK 6016 1331 9268 19'
run derive --agent invoicing --from bel_5 --from bel_3 --about invoice.2041.approved \
    --claim 'Invoice 2041 is approved for payment'
run derive --agent scheduler --from bel_6 --about invoice.2041.day --claim 'Invoice 2041 is paid on Friday'

step "The scheduler pays" "The decision and the action are written before the effect runs."
run guard --agent scheduler --kind invoice.pay --uses bel_7 \
    --payload 'EUR 4200 to GB29NWBK60161331926819' -- sh -c "$pay"
has "act_1  executed"
bank
has "EUR 4200 to GB29NWBK60161331926819"
before=$(picture)

step "The blast radius of the mail" "Asked before anything is done: across three agents, down to the payment."
run blast obs_2
json blast obs_2
has '"actions":1,'
has '"item":"act_1"'
for agent in researcher invoicing scheduler; do has "$agent"; done

step "The chokepoint" "All that leads from the mail to the payment passes the belief in the account."
run chokepoint --from obs_2 --to act_1
json chokepoint --from obs_2 --to act_1
has '"shared":["bel_4"'
has '"falls":true'

step "What a flag would do" "Of the mail alone, too little: the page still says it. Of the chokepoint, exactly what is right."
run flag obs_2 --dry-run
has "0.80 -> 0.80  $lie"
run flag bel_4 --dry-run
has "would flag: bel_4 in inc_1"
has "executed -> reversing"
[[ $(picture) == "$before" ]] || fail "a dry run changed something"

step "The flag" "What inherited the lie falls, and the payment is taken back."
run flag bel_4 --reason 'the mail was spoofed'
for belief in bel_5 bel_6 bel_7; do
    json explain "$belief"
    has '"status":"revoked"'
done
json explain act_1
has '"status":"reversed"'
bank
has "took back act_1"
run list beliefs
has "bel_4  quarantined"

step "The repaired profile" "It keeps the facts of the signed invoice, and loses the bank details only."
run record vendor.acme
json record vendor.acme
[[ $(grep -o '"standing":"lost"' <<<"$printed" | wc -l) == 1 ]] || fail "one field is lost"
[[ $(grep -o '"standing":"held"' <<<"$printed" | wc -l) == 2 ]] || fail "two fields are kept"
has_no GB29
for kept in address terms; do
    run recall --about "vendor.acme.$kept"
    has "acme-invoices (signed)"
done
run recall --about vendor.acme.iban
has "bel_4  quarantined"
has_no GB29

step "Undone, exactly" "Were the flag a mistake, nothing of it would be left. What was paid back stays paid back."
run reinstate inc_1
[[ $(picture) == "$before" ]] || fail "something is not as it was before the flag"
run unflag bel_4
has "was undone before: inc_1"
run flag bel_4 --reason 'the mail was spoofed'
after=$(picture)
bank
[[ $(grep -c "took back" <<<"$printed") == 1 ]] || fail "a payment is reversed once"

step "The rule that is learned" "A payment relies on nothing that a single origin carries."
run rules set invoice.pay --class compensable --unknown allow --min-origins 2 \
    --compensation "$take_back"
has "asks for corroboration 2"

step "A second payment" "Another mailbox, another account: who pays on it is refused."
run sources declare accounts@acme.example --channel mail --kind email
run remember --from accounts@acme.example --about vendor.acme.iban \
    --claim 'The IBAN of Acme is FR14 2004 1010 0505 0001 3M02 606'
run derive --agent researcher --from bel_8 --about payables.acme \
    --claim 'Acme can be paid at FR14 2004 1010 0505 0001 3M02 606'
refused guard --agent scheduler --kind invoice.pay --uses bel_9 \
    --payload 'EUR 4200 to FR1420041010050500013M02606' -- sh -c "$pay"
has 'bel_9 has corroboration 1, `invoice.pay` asks for 2'

step "The same trick, through a new mirror" "One more name says it. It is no more origins than before."
run sources declare price-list.example --channel web --kind web
run sources mirror price-list.example --of accounts@acme.example
run remember --from price-list.example --about vendor.acme.iban \
    --claim 'The IBAN of Acme is FR14 2004 1010 0505 0001 3M02 606'
has "bel_8  reinforced"
refused guard --agent scheduler --kind invoice.pay --uses bel_9 \
    --payload 'EUR 4200 to FR1420041010050500013M02606' -- sh -c "$pay"
has 'bel_9 has corroboration 1, `invoice.pay` asks for 2'
bank
has_no FR14
json list actions
[[ $(grep -o '"status":"blocked"' <<<"$printed" | wc -l) == 2 ]] || fail "two payments are blocked"

step "A flag and its undo, once more" "Of a source this time: what copies it still stands, and weighs nothing."
before=$(picture)
run flag accounts@acme.example
has "strength 0.80 -> 0.00"
[[ $(picture) != "$before" ]] || fail "the flag changed nothing"
run unflag accounts@acme.example
[[ $(picture) == "$before" ]] || fail "something is not as it was before the flag"

step "The truth, from two that do not copy each other" "The account from the vendor and its bank, the amount from the invoice and the order."
run sources declare acme-bank --channel signed --kind record
run sources declare purchase-orders --channel signed --kind record
for source in acme-invoices acme-bank; do
    run remember --from "$source" --channel signed --about vendor.acme.iban \
        --claim 'The IBAN of Acme is DE89 3704 0044 0532 0130 00'
done
run remember --from purchase-orders --about invoice.2041.amount --claim 'Invoice 2041 is for EUR 4200'
has "bel_3  reinforced"

step "The work that fell is done anew" "What was load-bearing is a task; a derivation that replaces it closes it."
run tasks
has "bel_7"
run derive --agent researcher --from bel_10 --about payables.acme \
    --claim 'Acme can be paid at DE89 3704 0044 0532 0130 00'
run derive --agent invoicing --from bel_11 --from bel_3 --about invoice.2041.approved \
    --claim 'Invoice 2041 is approved for payment'
run derive --agent scheduler --from bel_6 --replaces bel_7 --about invoice.2041.day \
    --claim 'Invoice 2041 is paid on Monday'
json tasks
has_no '"tsk_'
run guard --agent scheduler --kind invoice.pay --uses bel_12 \
    --payload 'EUR 4200 to DE89370400440532013000' -- sh -c "$pay"
has "executed"
bank
has "EUR 4200 to DE89370400440532013000"

step "The log says the same" "It is read and replayed, and gives what is in the store."
run verify

printf '\nAll %d steps are as they should be.\n' "$step_number"
