#!/usr/bin/env python3
"""Verifies a refund claim against its evidence bundle: the second implementation of VERIFY.md.

Python 3.9 or newer, standard library only. Signatures are checked by the formulas of RFC 8032.
"""
import base64
import hashlib
import ipaddress
import json
import re
import sys
import unicodedata
from collections import defaultdict
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

COLUMNS = (
    "asn asn_org network_type channel severity flagged_sessions window_from window_to "
    "estimated_wasted currency reasons sample_ips evidence_hash chain_verified"
).split()
LOW_CODES = {"conversion_void", "path_template", "regular_interval", "id_churn"}
FLAGGED = ("likely", "confirmed")
LARGEST = 2**53 - 1


class Unreadable(Exception):
    """An input is not what it should be: exit code 2."""


class Broken(Exception):
    """A check failed: exit code 1."""


def need(condition, reason, error=Broken):
    if not condition:
        raise error(reason)


# --- Ed25519 (RFC 8032, 5.1.7) ---------------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)


def decode_point(data):
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * SQRT_MINUS_1 % P
    if x * x % P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def add_points(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    return ((f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P)


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add_points(result, point)
        point = add_points(point, point)
        scalar >>= 1
    return result


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def ed25519_holds(public_key, message, signature):
    if len(signature) != 64:
        return False
    key, point = decode_point(public_key), decode_point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or point is None or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    left = multiply(scalar, BASE)
    right = add_points(point, multiply(int.from_bytes(digest, "little") % ORDER, key))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- Reading ---------------------------------------------------------------------------------------------------------


def sha256(data):
    return hashlib.sha256(data).digest()


def from_base64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def from_hex(text):
    need(re.fullmatch(r"[0-9a-f]{64}", text), "a hash has another form")
    return bytes.fromhex(text)


def as_text(data, what):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(f"{what} is not UTF-8") from None


def parse_json(text):
    """The value, and whether an object names a member twice."""
    twice = []

    def members(pairs):
        names = dict(pairs)
        if len(names) < len(pairs):
            twice.append(True)
        return names

    def refuse(constant):
        raise ValueError(constant)

    return json.loads(text, object_pairs_hook=members, parse_constant=refuse), bool(twice)


def canonical(value):
    def refuse_float(part):
        if isinstance(part, float) or (type(part) is int and abs(part) > LARGEST):
            raise Broken("a body holds a number that is no integer")
        for item in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            refuse_float(item)

    refuse_float(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_claim(data):
    text = as_text(data, "the claim")
    if text.startswith("\ufeff"):
        text = text[1:]
    # The csv module forgives much: what RFC 4180 does not know is refused first.
    cell = r'(?:"[^"]*(?:""[^"]*)*"|[^",\r\n]*)'
    record = re.compile(rf"{cell}(?:,{cell})*(?:\r?\n|\Z)")
    records, at = [], 0
    while at < len(text):
        match = record.match(text, at)
        need(match, f"record {len(records) + 1} of the claim is not CSV", Unreadable)
        line = match.group().removesuffix("\n").removesuffix("\r")
        cells = re.findall(rf"(?:^|,)({cell})", line) if line else [""]
        records.append([c[1:-1].replace('""', '"') if c.startswith('"') else c for c in cells])
        at = match.end()
    need(records and records[0] == COLUMNS, "the header of the claim is another one", Unreadable)
    for number, cells in enumerate(records[1:], 1):
        need(len(cells) == len(COLUMNS), f"row {number} of the claim has {len(cells)} cells", Unreadable)
    return [dict(zip(COLUMNS, cells)) for cells in records[1:]]


def is_count(value):
    return type(value) is int and 0 <= value <= LARGEST


def is_text(value):
    return isinstance(value, str)


def are_texts(value):
    return isinstance(value, list) and all(map(is_text, value))


def has(value, **kinds):
    """Whether it is an object with these members, each of its kind."""
    return isinstance(value, dict) and all(name in value and kind(value[name]) for name, kind in kinds.items())


def list_of(kind):
    return lambda value: isinstance(value, list) and all(map(kind, value))


def read_bundle(data):
    text = as_text(data, "the bundle")
    try:
        bundle, twice = parse_json(text)
    except (ValueError, RecursionError):
        raise Unreadable("the bundle is not JSON") from None
    need(isinstance(bundle, dict) and bundle.get("format") == "evidence-bundle/1", "the bundle is no evidence-bundle/1", Unreadable)
    fits = has(
        bundle,
        asset=is_text,
        range=lambda value: has(value, **{"from": is_text, "to": is_text}),
        generated=is_text,
        rows=list_of(lambda row: has(row, evidence_hash=is_text, entries=list_of(is_count))),
        entries=list_of(lambda entry: has(entry, seq=is_count, body=is_text)),
        proofs=lambda value: isinstance(value, dict) and all(map(are_texts, value.values())),
        checkpoint=is_text,
        consistency=list_of(lambda step: has(step, from_note=is_text, proof=are_texts)),
        keys=are_texts,
        samples=list_of(lambda sample: has(sample, seq=is_count, salt=is_text, ip=is_text)),
        detector_config=lambda value: value is None or isinstance(value, dict),
        timezone=is_text,
        currency=is_text,
    )
    need(fits, "a member of the bundle is missing or has another type", Unreadable)
    return bundle, twice


# --- Notes and tree --------------------------------------------------------------------------------------------------


def read_key(vkey):
    match = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", vkey)
    data = from_base64(match[3]) if match else None
    if data is None or len(data) != 33 or data[0] != 1:
        return None
    if sha256(match[1].encode() + b"\n" + data).hex()[:8] != match[2]:
        return None
    return {"name": match[1], "id": match[2], "key": data[1:]}


def read_note(note):
    text, gap, tail = note.rpartition("\n\n")
    lines = text.split("\n")
    if not gap or not tail.endswith("\n") or len(lines) != 3 or not lines[0]:
        return None
    root = from_base64(lines[2])
    signatures = [re.fullmatch(r"\u2014 (\S+) (\S+)", line) for line in tail[:-1].split("\n")]
    if not re.fullmatch(r"0|[1-9][0-9]{0,14}", lines[1]) or root is None or len(root) != 32 or None in signatures:
        return None
    signatures = [(match[1], from_base64(match[2])) for match in signatures]
    return {"signed": (text + "\n").encode(), "origin": lines[0], "size": int(lines[1]), "root": root, "by": signatures}


def signed_by(note, keys):
    good = 0
    for name, data in note["by"]:
        if data is None or len(data) < 4:
            return False
        for key in keys:
            if key["name"] == name == note["origin"] and key["id"] == data[:4].hex():
                if not ed25519_holds(key["key"], note["signed"], data[4:]):
                    return False
                good += 1
                break
    return good > 0


def parent(left, right):
    return sha256(b"\x01" + left + right)


def tree_root(leaves):
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return parent(tree_root(leaves[:split]), tree_root(leaves[split:]))


def included(leaf, index, size, proof, root):
    fn, sn, result = index, size - 1, leaf
    for step in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            result = parent(step, result)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            result = parent(result, step)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and result == root


def consistent(old, new, proof):
    first, second = old["size"], new["size"]
    if not 1 <= first <= second:
        return False
    if first == second:
        return not proof and old["root"] == new["root"]
    if not proof:
        return False
    if first & (first - 1) == 0:
        proof = [old["root"], *proof]
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    before = after = proof[0]
    for step in proof[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            before, after = parent(step, before), parent(step, after)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            after = parent(after, step)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and before == old["root"] and after == new["root"]


def check_checkpoint(bundle, trusted, kept):
    keys = [read_key(vkey) for vkey in bundle["keys"]]
    need(None not in keys, "a key of the bundle has another form")
    note = read_note(bundle["checkpoint"])
    need(note, "the checkpoint has another form")
    need(note["origin"].endswith("/integrity/" + bundle["asset"]), "the checkpoint is of another log")
    need(signed_by(note, keys if trusted is None else [trusted]), "the checkpoint is not signed as it must be")
    known = keys if trusted is None else [*keys, trusted]
    states = {(note["size"], note["root"])}
    for step in bundle["consistency"]:
        old = read_note(step["from_note"])
        need(old and old["origin"] == note["origin"] and signed_by(old, known), "an earlier checkpoint is not signed")
        need(consistent(old, note, list(map(from_hex, step["proof"]))), "the checkpoint does not follow from an earlier one")
        states.add((old["size"], old["root"]))
    if kept is not None:
        need(kept["origin"] == note["origin"], "the checkpoint given is of another log")
        need(signed_by(kept, known), "the checkpoint given is not signed by a known key")
        need(kept["size"] <= note["size"], "the checkpoint of the bundle is older than the one given")
        need((kept["size"], kept["root"]) in states, "no proof leads from the checkpoint given")
    return note


# --- Entries ---------------------------------------------------------------------------------------------------------


def day_of(text):
    try:
        return date.fromisoformat(text) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        return None


def is_day(value):
    return is_text(value) and day_of(value) is not None


def or_none(kind):
    return lambda value: value is None or kind(value)


def matching(pattern):
    return lambda value: is_text(value) and re.fullmatch(pattern, value) is not None


def is_commitment(value):
    return isinstance(value, list) and len(value) == 2 and matching("[0-9a-f]{64}")(value[0]) and is_count(value[1])


PAYLOADS = {
    "detection": dict(
        entity=is_text,
        entity_type=is_text,
        day=is_day,
        channel=is_text,
        paid=lambda value: value is None or isinstance(value, bool),
        asn=or_none(is_count),
        asn_org=or_none(is_text),
        network_type=is_text,
        severity=is_text,
        counts=lambda value: has(value, flagged_sessions=is_count),
        reasons=list_of(
            lambda reason: has(
                reason, code=is_text, observed=is_text, limit=is_text, contribution=matching(r"[0-9](\.[0-9]{1,6})?")
            )
        ),
        ip_commit=list_of(is_commitment),
        supersedes=or_none(is_count),
    ),
    "cost_basis": dict(
        channel=is_text,
        day=is_day,
        currency=is_text,
        spend=matching(r"[0-9]{1,18}(\.[0-9]{1,6})?"),
        paid_sessions=is_count,
        formula=lambda value: value == "wasted/1",
    ),
    "config": dict(timezone=is_text),
}


def read_entries(bundle):
    entries = {}
    for seq, text in ((entry["seq"], entry["body"]) for entry in bundle["entries"]):
        need(seq not in entries, f"entry {seq} stands twice in the bundle")
        try:
            body, twice = parse_json(text)
            same = canonical(body) == text
            data = text.encode("utf-8")
            json.dumps(body, ensure_ascii=False).encode("utf-8")
        except (ValueError, RecursionError):
            raise Broken(f"the body of entry {seq} is not JSON in Unicode") from None
        need(not twice, f"the body of entry {seq} names a member twice")
        need(same, f"the body of entry {seq} is not canonical")
        need(isinstance(body, dict) and type(body.get("v")) is int and body["v"] == 1, f"entry {seq} has an unknown v")
        need(set(body) == set("asset at kind payload prev seq v".split()), f"entry {seq} has other members")
        need(body["asset"] == bundle["asset"], f"entry {seq} is of another asset")
        need(type(body["seq"]) is int and body["seq"] == seq > 0, f"entry {seq} has another seq in its body")
        typed = has(body, kind=is_text, prev=is_text, payload=lambda value: isinstance(value, dict))
        need(typed and has(body["payload"], **PAYLOADS.get(body["kind"], {})), f"the payload of entry {seq} has another form")
        entries[seq] = {"seq": seq, "kind": body["kind"], "prev": body["prev"], "hash": sha256(b"\0" + data), **body["payload"]}
        entries[seq]["payload"] = body["payload"]
    for seq, entry in entries.items():
        before = sha256(b"genesis:" + bundle["asset"].encode()) if seq == 1 else entries.get(seq - 1, {}).get("hash")
        need(before is None or before.hex() == entry["prev"], f"entry {seq} does not follow the one before it")
    return entries


def check_entries(bundle, entries, note):
    first, last = bundle["range"]["from"], bundle["range"]["to"]
    need(is_day(first) and is_day(last) and first <= last, "the range has another form")
    counted, superseded = set(), set()
    for seq, entry in entries.items():
        need(seq <= note["size"] and str(seq) in bundle["proofs"], f"entry {seq} has no proof")
        proof = list(map(from_hex, bundle["proofs"][str(seq)]))
        need(included(entry["hash"], seq - 1, note["size"], proof, note["root"]), f"the proof of entry {seq} does not hold")
        if entry["kind"] == "detection":
            key = ("d", entry["entity"], entry["channel"], entry["paid"], entry["day"])
            if entry["entity_type"] == "visitor":
                key += (entry["asn"], entry["network_type"])
            superseded.add(entry["supersedes"])
        elif entry["kind"] == "cost_basis":
            key = ("c", entry["channel"], entry["day"], entry["currency"])
        else:
            continue
        need(first <= entry["day"] <= last, f"entry {seq} lies outside the range")
        need(key not in counted, f"entry {seq} counts what another one counts")
        counted.add(key)
    for seq in superseded & {seq for seq, entry in entries.items() if entry["kind"] == "detection"}:
        raise Broken(f"entry {seq} is superseded")
    configs = [entry for entry in entries.values() if entry["kind"] == "config"]
    need(len(configs) == 1, "there must be one config entry")
    need(configs[0]["payload"]["timezone"] == bundle["timezone"], "the time zone is not the one of the config entry")
    need(canonical(configs[0]["payload"]) == canonical(bundle["detector_config"]), "detector_config is not the config entry")


def open_samples(bundle, entries):
    """Addresses and flagged sessions, by seq."""
    opened = defaultdict(dict)
    for sample in bundle["samples"]:
        need(re.fullmatch("[0-9a-f]{32}", sample["salt"]), "a salt has another form")
        try:
            digest = sha256(bytes.fromhex(sample["salt"]) + sample["ip"].encode()).hex()
        except UnicodeEncodeError:
            raise Broken("a sample is no Unicode text") from None
        entry = entries.get(sample["seq"])
        commitments = entry["ip_commit"] if entry and entry["kind"] == "detection" else []
        sessions = [count for commitment, count in commitments if commitment == digest]
        need(sessions, f"a sample of entry {sample['seq']} was not committed to")
        need(digest not in opened[sample["seq"]], f"a sample of entry {sample['seq']} stands twice")
        opened[sample["seq"]][digest] = (sample["ip"], sessions[0])
    return opened


# --- Rows ------------------------------------------------------------------------------------------------------------


def day_start(day, zone):
    """The first quarter of an hour whose local date is the day or a later one."""
    instant = datetime(day.year, day.month, day.day, tzinfo=timezone.utc) - timedelta(hours=15)
    while instant.astimezone(zone).date() < day:
        instant += timedelta(minutes=15)
    return instant


def utc_text(instant):
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def reason_item(reason):
    numbers = [re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)%?", reason[name]) for name in ("observed", "limit")]
    if None in numbers:
        return reason["code"]
    observed, limit = (Fraction(match[1]) for match in numbers)
    low = observed < limit or (observed == limit and reason["code"] in LOW_CODES)
    return f"{reason['code']}={reason['observed']}{'<' if low else '>'}{reason['limit']}"


def reason_items(detections, notices):
    ranked = sorted(
        (-Fraction(reason["contribution"]), entry["seq"], place, reason["code"], reason_item(reason))
        for entry in detections
        for place, reason in enumerate(entry["reasons"])
    )
    best = {}
    for _, _, _, code, item in ranked:
        best.setdefault(code, item)
    return list(best.values())[: 8 - len(notices)] + notices


def address_order(ip):
    try:
        address = ipaddress.ip_address(ip.split("/")[0])
        return (address.version, int(address), ip)
    except ValueError:
        return (9, 0, ip)


def sample_ips(detections, opened):
    hits = defaultdict(int)
    for entry in detections:
        for ip, sessions in opened.get(entry["seq"], {}).values():
            hits[ip] += sessions
    ordered = sorted((ip for ip in hits if hits[ip] > 0), key=lambda ip: (-hits[ip], address_order(ip)))
    return ordered[:10]


def cents(amount):
    # round() of a Fraction is half-even.
    whole = round(amount * 100)
    return f"{whole // 100}.{whole % 100:02d}"


def claim_rows(bundle, entries, opened):
    try:
        zone = ZoneInfo(bundle["timezone"])
    except Exception:
        raise Broken(f"the time zone {bundle['timezone']} is not known here") from None
    try:
        generated = datetime.strptime(bundle["generated"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        raise Broken("generated is no time") from None
    need(len(bundle["generated"]) == 20, "generated is no time")
    today = generated.astimezone(zone).date()
    flagged_entries = [e for e in entries if e["kind"] == "detection" and e["severity"] in FLAGGED]
    confirmed = {e["entity"] for e in entries if e["kind"] == "detection" and e["severity"] == "confirmed"}
    groups = defaultdict(list)
    for entry in flagged_entries:
        if entry["paid"] is not False and entry["counts"]["flagged_sessions"] > 0:
            severity = "confirmed" if entry["entity"] in confirmed else "likely"
            groups[entry["asn"], entry["network_type"], entry["channel"], severity].append(entry)
    flagged = {}
    claims = defaultdict(list)
    for key, members in groups.items():
        days = defaultdict(int)
        for entry in members:
            days[entry["day"]] += entry["counts"]["flagged_sessions"]
        flagged[key] = days
        for day, sessions in days.items():
            claims[key[2], day].append(sessions)
    costs = [e for e in entries if e["kind"] == "cost_basis" and Fraction(e["spend"]) > 0]
    rows = []
    for key, members in groups.items():
        days = flagged[key]
        used = [cost for cost in costs if cost["channel"] == key[2] and cost["day"] in days]
        first, last = day_of(min(days)), day_of(max(days))
        notices = [] if used else ["no_cost_data"]
        if (today - last).days > 60:
            notices.append("outside_60_day_window")
        for currency in {cost["currency"] for cost in used} or {bundle["currency"]}:
            own = [cost for cost in used if cost["currency"] == currency]
            amount = Fraction(0)
            for cost in own:
                paid, channel_claims = cost["paid_sessions"], claims[key[2], cost["day"]]
                claimed = sum(min(sessions, paid) for sessions in channel_claims)
                amount += min(days[cost["day"]], paid) * Fraction(cost["spend"]) / max(paid, claimed, 1)
            evidence = sorted(members + own, key=lambda entry: entry["seq"])
            newest = max(members, key=lambda entry: entry["seq"])
            rows.append(
                {
                    "asn": "" if key[0] is None else str(key[0]),
                    "asn_org": newest["asn_org"] or "",
                    "network_type": key[1],
                    "channel": key[2],
                    "severity": key[3],
                    "flagged_sessions": str(sum(days.values())),
                    "window_from": utc_text(day_start(first, zone)),
                    "window_to": utc_text(day_start(last + timedelta(days=1), zone) - timedelta(seconds=1)),
                    "estimated_wasted": cents(amount),
                    "currency": currency,
                    "reasons": ";".join(reason_items(members, notices)),
                    "sample_ips": " ".join(sample_ips(members, opened)),
                    "evidence_hash": tree_root([entry["hash"] for entry in evidence]).hex(),
                    "chain_verified": "true",
                    "seqs": [entry["seq"] for entry in evidence],
                }
            )
    return rows


def proven_rows(bundle, twice, trusted, kept):
    need(not twice, "the bundle names a member twice in one object")
    entries = read_entries(bundle)
    check_entries(bundle, entries, check_checkpoint(bundle, trusted, kept))
    opened = open_samples(bundle, entries)
    rows = claim_rows(bundle, sorted(entries.values(), key=lambda entry: entry["seq"]), opened)
    told = sorted((row["evidence_hash"], row["entries"]) for row in bundle["rows"])
    need(told == sorted((row["evidence_hash"], row["seqs"]) for row in rows), "the rows of the bundle do not follow from its entries")
    return {row["evidence_hash"]: row for row in rows}


def same_cell(name, cell, text):
    guarded = name in ("asn_org", "channel") and text[:1] and text[0] in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
    return cell == text or (guarded and cell == "'" + text)


def row_failure(cells, proven, seen):
    if cells["chain_verified"] == "false":
        return "the service itself says chain_verified=false"
    row = proven.get(cells["evidence_hash"])
    if row is None:
        return "no row of the bundle has this evidence_hash"
    if cells["evidence_hash"] in seen:
        return "the row stands twice in the claim"
    seen.add(cells["evidence_hash"])
    wrong = [name for name in COLUMNS if not same_cell(name, cells[name], row[name])]
    return "; ".join(f"{name} is {cells[name]}, the evidence says {row[name]}" for name in wrong)


def verify_claim(claim, bundle, key=None, checkpoint=None):
    """Bytes in; a verdict {exit, trusted, rows, problem?} out."""
    trusted = key is not None
    try:
        rows = read_claim(claim)
        read, twice = read_bundle(bundle)
        trusted_key = read_key(key) if trusted else None
        need(not trusted or trusted_key, "the key given is no vkey of Ed25519", Unreadable)
        kept = None if checkpoint is None else read_note(as_text(checkpoint, "the checkpoint given"))
        need(checkpoint is None or kept, "the checkpoint given is none", Unreadable)
    except Unreadable as error:
        return {"exit": 2, "trusted": trusted, "problem": str(error), "rows": []}
    problem, proven, seen = None, {}, set()
    try:
        proven = proven_rows(read, twice, trusted_key, kept)
    except Broken as error:
        problem = str(error)
    verdicts = []
    for number, cells in enumerate(rows, 1):
        reason = problem or row_failure(cells, proven, seen)
        verdicts.append({"row": number, "asn": cells["asn"], "channel": cells["channel"], "ok": not reason, "reasons": [reason] if reason else []})
    failed = problem is not None or not all(row["ok"] for row in verdicts)
    return {"exit": int(failed), "trusted": trusted, **({"problem": problem} if problem else {}), "rows": verdicts}


def verdict_lines(verdict):
    lines = []
    for row in verdict["rows"]:
        tail = "" if row["ok"] else ": " + "; ".join(row["reasons"])
        lines.append(f"{'OK' if row['ok'] else 'FAIL'} row {row['row']} AS{row['asn'] or '?'} {row['channel']}{tail}")
    if not verdict["rows"] and "problem" in verdict:
        lines.append(f"FAIL bundle: {verdict['problem']}")
    if not verdict["trusted"]:
        lines.append("NOTE the key came from the bundle and is not independently trusted")
    return ["".join(" " if unicodedata.category(char) == "Cc" else char for char in line) for line in lines]


def read_file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from None


def main(words):
    files, options, words = [], {}, list(words)
    try:
        while words:
            word = words.pop(0)
            if word == "--json":
                options[word] = True
            elif word in ("--key", "--checkpoint") and words:
                options[word] = words.pop(0)
            else:
                need(not word.startswith("--"), f"unknown option {word}", Unreadable)
                files.append(word)
        need(len(files) == 2, "usage: tallyport_verify.py <claim.csv> <bundle.json> [--key vkey] [--checkpoint file] [--json]", Unreadable)
        kept = read_file(options["--checkpoint"]) if "--checkpoint" in options else None
        verdict = verify_claim(read_file(files[0]), read_file(files[1]), options.get("--key"), kept)
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 2
    if "--json" in options:
        print(json.dumps(verdict))
    elif verdict["exit"] == 2:
        print("cannot verify:", verdict["problem"], file=sys.stderr)
    else:
        print("\n".join(verdict_lines(verdict)))
    return verdict["exit"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
