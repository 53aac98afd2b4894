#!/usr/bin/env node
// Verifies a refund claim against its evidence bundle, as VERIFY.md describes. Needs Node 20 and nothing else: no package,
// no network, no service.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COLUMNS =
  'asn,asn_org,network_type,channel,severity,flagged_sessions,window_from,window_to,estimated_wasted,currency,reasons,sample_ips,evidence_hash,chain_verified'.split(
    ',',
  );
const USAGE = 'usage: tallyport-verify <claim.csv> <bundle.json> [--key vkey] [--checkpoint file] [--json]';
const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

/** The input can't be read as what it should be: exit code 2. */
class Unreadable extends Error {}
/** A check failed: exit code 1. */
class Failed extends Error {}

function must(holds, reason) {
  if (!holds) throw new Failed(reason);
}

function readable(holds, reason) {
  if (!holds) throw new Unreadable(reason);
}

// Bytes and texts

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const node = (left, right) => sha256(Buffer.of(1), left, right);
const isText = (value) => typeof value === 'string';
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Date.parse() takes a 30th of February and a 24th hour. */
const isInstant = (text) => text > '0001' && !Number.isNaN(Date.parse(text)) && secondText(Date.parse(text)) === text;
const isDay = (value) => isText(value) && /^\d{4}-\d{2}-\d{2}$/.test(value) && isInstant(`${value}T00:00:00Z`);
const bySeq = (a, b) => a.seq - b.seq;

function utf8(bytes, what) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unreadable(`${what} is not UTF-8`);
  }
}

function hash32(hex, what) {
  must(isText(hex) && /^[0-9a-f]{64}$/.test(hex), `${what} is no hash`);
  return Buffer.from(hex, 'hex');
}

function base64(text) {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function addTo(map, key, item) {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

// JSON

/** The first member name that stands twice in one object of a valid JSON text; undefined when there is none. */
function duplicateName(text) {
  const open = [];
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\]]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1));
      const names = open.at(-1);
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

/** RFC 8785 of a value whose numbers are integers. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(',')}}`;
  }
  if (isText(value)) must(value.isWellFormed(), 'half of a surrogate pair');
  if (typeof value === 'number') must(Number.isSafeInteger(value), 'a number that is no integer');
  return JSON.stringify(value);
}

// CSV

/** Records of an RFC 4180 file: LF or CRLF, a BOM is dropped, the last line may end without a newline. */
export function parseCsv(text) {
  const records = [];
  let record = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    let cell;
    if (text[at] === '"') {
      const quoted = /"([^"]*(?:""[^"]*)*)"/gy;
      quoted.lastIndex = at;
      const match = quoted.exec(text);
      readable(match !== null, 'the claim has a quote that is never closed');
      cell = match[1].replaceAll('""', '"');
      at = quoted.lastIndex;
    } else {
      const plain = /[^",\r\n]*/gy;
      plain.lastIndex = at;
      [cell] = plain.exec(text);
      at = plain.lastIndex;
    }
    record.push(cell);
    if (text[at] === ',') {
      at++;
      // A record that ends with a comma ends with an empty cell.
      if (at < text.length) continue;
      record.push('');
    } else {
      const newline = text.startsWith('\r\n', at) ? 2 : text[at] === '\n' ? 1 : 0;
      readable(newline > 0 || at === text.length, `the claim has a stray character in record ${records.length + 1}`);
      at += newline;
    }
    records.push(record);
    record = [];
  }
  return records;
}

function readClaim(bytes) {
  const [header, ...rows] = parseCsv(utf8(bytes, 'the claim'));
  readable(header?.join() === COLUMNS.join(), `the header of the claim is not ${COLUMNS.join()}`);
  return rows.map((cells, index) => {
    readable(cells.length === COLUMNS.length, `row ${index + 1} of the claim has ${cells.length} cells`);
    return Object.fromEntries(COLUMNS.map((name, column) => [name, cells[column]]));
  });
}

/** A text cell may have got a `'` because a spreadsheet program would take it for a formula. */
function sameText(cell, text) {
  return cell === text || (/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && cell === `'${text}`);
}

// Signed notes and checkpoints

function parseKey(vkey) {
  const match = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(vkey);
  const data = match === null ? undefined : base64(match[3]);
  if (data === undefined || data.length !== 33 || data[0] !== 1) return undefined;
  const [, name, id] = match;
  if (sha256(`${name}\n`, data).toString('hex', 0, 4) !== id) return undefined;
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), data.subarray(1)]);
  return { name, id, vkey, key: createPublicKey({ key: spki, format: 'der', type: 'spki' }) };
}

/** A note of a checkpoint by its form; undefined when it is none. */
function parseCheckpoint(note) {
  const split = note.lastIndexOf('\n\n');
  const text = note.slice(0, split + 1);
  const [origin, size, root64, ...rest] = text.split('\n');
  const root = base64(root64 ?? '');
  const signatures = note
    .slice(split + 2)
    .split('\n')
    .map((line) => /^\u2014 (\S+) (\S+)$/.exec(line))
    .map((match) => (match === null ? null : { name: match[1], bytes: base64(match[2]) }));
  const wellFormed =
    split > 0 &&
    note.endsWith('\n') &&
    signatures.pop() === null &&
    signatures.length > 0 &&
    !signatures.includes(null);
  if (!wellFormed || !origin || !/^(0|[1-9]\d{0,14})$/.test(size ?? '') || root?.length !== 32) return undefined;
  if (rest.length !== 1) return undefined;
  return { text, origin, size: Number(size), root, signatures };
}

/** Whether one of these keys signed the note; a wrong signature of one of them spoils it. */
function isSigned(checkpoint, keys) {
  let signed = false;
  for (const { name, bytes } of checkpoint.signatures) {
    if (bytes === undefined || bytes.length < 4) return false;
    const key = keys.find((one) => one.name === name && one.id === bytes.toString('hex', 0, 4));
    if (key === undefined) continue;
    if (!verifySignature(null, Buffer.from(checkpoint.text), key.key, bytes.subarray(4))) return false;
    signed = true;
  }
  return signed;
}

// Merkle tree (RFC 9162, 2.1)

const half = (number) => Math.floor(number / 2);

function isIncluded(leaf, index, size, proof, root) {
  let [fn, sn, hash] = [index, size - 1, leaf];
  for (const step of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = node(step, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else hash = node(hash, step);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && hash.equals(root);
}

function isConsistent(first, second, proof) {
  if (first.size < 1 || first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  const path = Number.isInteger(Math.log2(first.size)) ? [first.root, ...proof] : [...proof];
  let [fn, sn] = [first.size - 1, second.size - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  const start = path.shift();
  if (start === undefined) return false;
  let [older, newer] = [start, start];
  for (const step of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [older, newer] = [node(step, older), node(step, newer)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else newer = node(newer, step);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && older.equals(first.root) && newer.equals(second.root);
}

function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return node(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

// The bundle

function readBundle(bytes) {
  const text = utf8(bytes, 'the bundle');
  let bundle;
  try {
    bundle = JSON.parse(text);
  } catch {
    throw new Unreadable('the bundle is not JSON');
  }
  const texts = (value) => Array.isArray(value) && value.every(isText);
  const shapes = {
    asset: isText,
    range: (value) => isObject(value) && isText(value.from) && isText(value.to),
    generated: isText,
    rows: (value) =>
      Array.isArray(value) &&
      value.every(
        (row) => isObject(row) && isText(row.evidence_hash) && Array.isArray(row.entries) && row.entries.every(isCount),
      ),
    entries: (value) =>
      Array.isArray(value) && value.every((entry) => isObject(entry) && isCount(entry.seq) && isText(entry.body)),
    proofs: (value) => isObject(value) && Object.values(value).every(texts),
    checkpoint: isText,
    consistency: (value) =>
      Array.isArray(value) && value.every((step) => isObject(step) && isText(step.from_note) && texts(step.proof)),
    keys: texts,
    samples: (value) =>
      Array.isArray(value) &&
      value.every((sample) => isObject(sample) && isCount(sample.seq) && isText(sample.salt) && isText(sample.ip)),
    detector_config: (value) => value === null || isObject(value),
    timezone: isText,
    currency: isText,
  };
  readable(isObject(bundle) && bundle.format === 'evidence-bundle/1', 'the bundle is no evidence-bundle/1');
  for (const [name, fits] of Object.entries(shapes))
    readable(fits(bundle[name]), `the member ${name} of the bundle is missing or has another form`);
  return { bundle, duplicate: duplicateName(text) };
}

const PAYLOADS = {
  detection: (payload) =>
    [payload.entity, payload.entity_type, payload.channel, payload.network_type, payload.severity].every(isText) &&
    isDay(payload.day) &&
    [true, false, null].includes(payload.paid) &&
    (payload.asn === null || isCount(payload.asn)) &&
    (payload.asn_org === null || isText(payload.asn_org)) &&
    isObject(payload.counts) &&
    isCount(payload.counts.flagged_sessions) &&
    Array.isArray(payload.reasons) &&
    payload.reasons.every(
      (reason) =>
        isObject(reason) &&
        [reason.code, reason.observed, reason.limit].every(isText) &&
        isText(reason.contribution) &&
        /^\d(\.\d{1,6})?$/.test(reason.contribution),
    ) &&
    Array.isArray(payload.ip_commit) &&
    payload.ip_commit.every(
      (pair) =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        isText(pair[0]) &&
        /^[0-9a-f]{64}$/.test(pair[0]) &&
        isCount(pair[1]),
    ) &&
    (payload.supersedes === null || isCount(payload.supersedes)),
  cost_basis: (payload) =>
    [payload.channel, payload.currency].every(isText) &&
    isDay(payload.day) &&
    isText(payload.spend) &&
    /^\d{1,18}(\.\d{1,6})?$/.test(payload.spend) &&
    isCount(payload.paid_sessions) &&
    payload.formula === 'wasted/1',
  config: (payload) => isText(payload.timezone),
};

/** An entry whose body says what it must; its hash comes from the body. */
function readEntry({ seq, body }, asset) {
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Failed(`the body of entry ${seq} is not JSON`);
  }
  must(body.isWellFormed(), `the body of entry ${seq} is no Unicode text`);
  must(duplicateName(body) === undefined, `the body of entry ${seq} names a member twice`);
  let text;
  try {
    text = canonical(value);
  } catch (error) {
    throw new Failed(`the body of entry ${seq} has ${error.message}`);
  }
  must(text === body, `the body of entry ${seq} is not canonical`);
  must(isObject(value) && value.v === 1, `entry ${seq} has an unknown v`);
  must(Object.keys(value).join() === 'asset,at,kind,payload,prev,seq,v', `entry ${seq} has other members`);
  must(value.asset === asset, `entry ${seq} is of another asset`);
  must(value.seq === seq && seq > 0, `entry ${seq} has another seq in its body`);
  must(isText(value.kind) && isText(value.prev) && isObject(value.payload), `entry ${seq} has another form`);
  const fits = Object.hasOwn(PAYLOADS, value.kind) ? PAYLOADS[value.kind] : () => true;
  must(fits(value.payload), `the payload of entry ${seq} has another form`);
  return { seq, kind: value.kind, prev: value.prev, payload: value.payload, hash: sha256(Buffer.of(0), body) };
}

function readEntries(bundle) {
  const entries = new Map();
  for (const entry of bundle.entries) {
    must(!entries.has(entry.seq), `entry ${entry.seq} stands twice in the bundle`);
    entries.set(entry.seq, readEntry(entry, bundle.asset));
  }
  const genesis = sha256(`genesis:${bundle.asset}`);
  for (const { seq, prev } of entries.values()) {
    const before = seq === 1 ? genesis : entries.get(seq - 1)?.hash;
    must(before === undefined || before.toString('hex') === prev, `entry ${seq} does not follow the entry before it`);
  }
  return entries;
}

/** The checkpoint of the bundle, once it is signed and follows from earlier ones. */
function checkCheckpoint(bundle, trusted, earlier) {
  const keys = bundle.keys.map(parseKey);
  must(!keys.includes(undefined), 'a key of the bundle is none');
  const checkpoint = parseCheckpoint(bundle.checkpoint);
  must(checkpoint !== undefined, 'the checkpoint has another form');
  const { origin } = checkpoint;
  must(origin.endsWith(`/integrity/${bundle.asset}`), 'the checkpoint is of another log');
  const ofLog = (list) => list.filter(({ name }) => name === origin);
  must(
    isSigned(checkpoint, ofLog(trusted === undefined ? keys : [trusted])),
    `the checkpoint is not signed by ${trusted === undefined ? 'a key of the bundle' : 'the key given'}`,
  );
  const anyKeys = ofLog(trusted === undefined ? keys : [...keys, trusted]);
  const proven = bundle.consistency.map(({ from_note, proof }) => {
    const from = parseCheckpoint(from_note);
    must(
      from !== undefined && from.origin === origin && isSigned(from, anyKeys),
      'an earlier checkpoint is not signed',
    );
    const steps = proof.map((step) => hash32(step, 'a step of a consistency proof'));
    must(isConsistent(from, checkpoint, steps), `the checkpoint does not follow from the one of size ${from.size}`);
    return from;
  });
  if (earlier !== undefined) {
    must(earlier.origin === origin, 'the checkpoint given is of another log');
    must(isSigned(earlier, anyKeys), 'the checkpoint given is not signed by a known key');
    must(earlier.size <= checkpoint.size, 'the checkpoint of the bundle is older than the one given');
    const same = [checkpoint, ...proven].some(({ size, root }) => size === earlier.size && root.equals(earlier.root));
    must(same, 'no proof leads from the checkpoint given to the one of the bundle');
  }
  return checkpoint;
}

function checkInclusion(bundle, entries, { size, root }) {
  for (const { seq, hash } of entries.values()) {
    must(seq <= size, `entry ${seq} is not under the checkpoint`);
    must(Object.hasOwn(bundle.proofs, String(seq)), `entry ${seq} has no proof`);
    const proof = bundle.proofs[seq].map((step) => hash32(step, `a step of the proof of entry ${seq}`));
    must(isIncluded(hash, seq - 1, size, proof, root), `the proof of entry ${seq} does not lead to the root`);
  }
}

/** Nothing may count twice and nothing may stand that does not hold any more. */
function checkCurrent(detections, bases, range) {
  const keys = new Set();
  const once = (seq, key) => {
    must(!keys.has(key), `entry ${seq} counts what another entry counts`);
    keys.add(key);
  };
  const seqs = new Set(detections.map(({ seq }) => seq));
  for (const { seq, payload } of [...detections, ...bases])
    must(payload.day >= range.from && payload.day <= range.to, `entry ${seq} lies outside the range`);
  for (const { seq, payload } of detections) {
    must(!seqs.has(payload.supersedes), `entry ${payload.supersedes} is superseded by entry ${seq}`);
    const { entity, entity_type, channel, paid, day, asn, network_type } = payload;
    const ofNetwork = entity_type === 'visitor' ? [asn, network_type] : [];
    once(seq, JSON.stringify(['d', entity, channel, paid, day, ...ofNetwork]));
  }
  for (const { seq, payload } of bases)
    once(seq, JSON.stringify(['c', payload.channel, payload.day, payload.currency]));
}

function checkConfig(bundle, entries) {
  const configs = [...entries.values()].filter(({ kind }) => kind === 'config');
  must(configs.length === 1, 'the bundle must hold one config entry');
  const { payload } = configs[0];
  must(payload.timezone === bundle.timezone, 'the time zone is not the one of the config entry');
  must(canonical(payload) === canonical(bundle.detector_config), 'detector_config is not the one of the config entry');
}

/** Samples by seq, each with the flagged sessions of the commitment that it opens. */
function openSamples(bundle, entries) {
  const opened = new Map();
  const used = new Set();
  for (const { seq, salt, ip } of bundle.samples) {
    must(/^[0-9a-f]{32}$/.test(salt), `a salt of entry ${seq} is none`);
    const hex = sha256(Buffer.from(salt, 'hex'), ip).toString('hex');
    const entry = entries.get(seq);
    const pair = entry?.kind === 'detection' ? entry.payload.ip_commit.find(([one]) => one === hex) : undefined;
    must(pair !== undefined, `a sample of entry ${seq} is not what the entry committed to`);
    must(!used.has(`${seq} ${hex}`), `a sample of entry ${seq} stands twice`);
    used.add(`${seq} ${hex}`);
    addTo(opened, seq, { ip, sessions: pair[1] });
  }
  return opened;
}

// The rows of a claim, recomputed

const dayNumber = (day) => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

function localClock(timezone) {
  let format;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
  } catch {
    throw new Failed(`the time zone ${timezone} is not known here`);
  }
  const dayAt = (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.year, parts.month - 1, parts.day) / DAY_MS;
  };
  const known = new Map();
  const firstInstant = (day) => {
    let at = known.get(day) ?? day * DAY_MS - 60 * QUARTER_MS;
    while (!known.has(day) && dayAt(at) < day) at += QUARTER_MS;
    known.set(day, at);
    return at;
  };
  return { dayAt, firstInstant };
}

const secondText = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function reasonItem({ code, observed, limit }) {
  const number = /^(\d{1,15}(?:\.\d{1,6})?)%?$/;
  const [seen, usual] = [number.exec(observed), number.exec(limit)].map((match) =>
    match === null ? NaN : Number(match[1]),
  );
  if (Number.isNaN(seen) || Number.isNaN(usual)) return code;
  const low = ['conversion_void', 'path_template', 'regular_interval', 'id_churn'].includes(code);
  return `${code}=${observed}${seen < usual || (seen === usual && low) ? '<' : '>'}${limit}`;
}

function reasonItems(detections, notices) {
  const best = new Map();
  for (const { seq, payload } of detections)
    payload.reasons.forEach((reason, index) => {
      const share = Number(reason.contribution);
      const known = best.get(reason.code);
      if (known === undefined || share > known.share) best.set(reason.code, { share, seq, index, reason });
    });
  const items = [...best.values()].sort((a, b) => b.share - a.share || a.seq - b.seq || a.index - b.index);
  return [...items.slice(0, 8 - notices.length).map(({ reason }) => reasonItem(reason)), ...notices];
}

/** Sorts as text in the order of addresses: IPv4 first. */
function addressKey(ip) {
  const [address] = ip.split('/');
  if (!address.includes(':'))
    return `4${address
      .split('.')
      .map((part) => part.padStart(3, '0'))
      .join('')} ${ip}`;
  const [head, tail = ''] = address.split('::').map((side) => side.split(':').filter((group) => group !== ''));
  const zeros = Array(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return `6${[...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join('')} ${ip}`;
}

function sampleIps(detections, opened) {
  const hits = new Map();
  for (const { seq } of detections)
    for (const { ip, sessions } of opened.get(seq) ?? []) hits.set(ip, (hits.get(ip) ?? 0) + sessions);
  return [...hits]
    .filter(([, sessions]) => sessions > 0)
    .sort(([a, x], [b, y]) => y - x || (addressKey(a) < addressKey(b) ? -1 : 1))
    .slice(0, 10)
    .map(([ip]) => ip);
}

function millionths(spend) {
  const [whole, fraction = ''] = spend.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

/** Σ min(flagged, paid) × spend / max(paid, claimed, 1) in cents, half-even, once. */
function wastedSpend(shares) {
  let [numerator, denominator] = [0n, 1n];
  for (const { flagged, paid, claimed, spend } of shares) {
    const divisor = BigInt(Math.max(paid, claimed, 1));
    numerator = numerator * divisor + BigInt(Math.min(flagged, paid)) * millionths(spend) * denominator;
    denominator *= divisor;
  }
  denominator *= 10_000n;
  const [cents, twice] = [numerator / denominator, (numerator % denominator) * 2n];
  const up = twice > denominator || (twice === denominator && cents % 2n === 1n);
  const digits = String(up ? cents + 1n : cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function claimRows(bundle, detections, bases, opened) {
  const clock = localClock(bundle.timezone);
  must(isInstant(bundle.generated), 'generated is no time');
  const today = clock.dayAt(Date.parse(bundle.generated));
  const isFlagged = ({ payload }) => payload.severity === 'likely' || payload.severity === 'confirmed';
  const confirmed = new Set(
    detections.filter(({ payload }) => payload.severity === 'confirmed').map(({ payload }) => payload.entity),
  );
  const groups = new Map();
  for (const detection of detections) {
    const { entity, asn, network_type, channel, paid, counts } = detection.payload;
    if (!isFlagged(detection) || paid === false || counts.flagged_sessions === 0) continue;
    const severity = confirmed.has(entity) ? 'confirmed' : 'likely';
    addTo(groups, JSON.stringify([asn, network_type, channel, severity]), detection);
  }
  const flaggedOn = new Map();
  for (const [key, ofGroup] of groups) {
    const days = new Map();
    for (const { payload } of ofGroup)
      days.set(payload.day, (days.get(payload.day) ?? 0) + payload.counts.flagged_sessions);
    flaggedOn.set(key, days);
  }
  const withSpend = bases.filter(({ payload }) => millionths(payload.spend) > 0n);
  const claimed = new Map(withSpend.map(({ seq }) => [seq, 0]));
  const costsOf = new Map();
  for (const [key, days] of flaggedOn) {
    const channel = JSON.parse(key)[2];
    const costs = withSpend.filter(({ payload }) => payload.channel === channel && days.has(payload.day));
    for (const { seq, payload } of costs)
      claimed.set(seq, claimed.get(seq) + Math.min(days.get(payload.day), payload.paid_sessions));
    costsOf.set(key, costs);
  }
  return [...groups].flatMap(([key, ofGroup]) => {
    const [asn, network_type, channel, severity] = JSON.parse(key);
    const days = flaggedOn.get(key);
    const sorted = [...days.keys()].sort().map(dayNumber);
    const last = sorted.at(-1);
    const costs = costsOf.get(key);
    const notices = [costs.length === 0 && 'no_cost_data', today - last > 60 && 'outside_60_day_window'].filter(
      Boolean,
    );
    const currencies =
      costs.length === 0 ? [bundle.currency] : [...new Set(costs.map(({ payload }) => payload.currency))];
    return currencies.map((currency) => {
      const used = costs.filter(({ payload }) => payload.currency === currency);
      const evidence = [...ofGroup, ...used].sort(bySeq);
      const shares = used.map(({ seq, payload }) => ({
        flagged: days.get(payload.day),
        paid: payload.paid_sessions,
        claimed: claimed.get(seq),
        spend: payload.spend,
      }));
      return {
        asn: asn === null ? '' : String(asn),
        asn_org: ofGroup.at(-1).payload.asn_org ?? '',
        network_type,
        channel,
        severity,
        flagged_sessions: String([...days.values()].reduce((sum, flagged) => sum + flagged, 0)),
        window_from: secondText(clock.firstInstant(sorted[0])),
        window_to: secondText(clock.firstInstant(last + 1) - 1000),
        estimated_wasted: wastedSpend(shares),
        currency,
        reasons: reasonItems(ofGroup, notices).join(';'),
        sample_ips: sampleIps(ofGroup, opened).join(' '),
        evidence_hash: rootOf(evidence.map(({ hash }) => hash)).toString('hex'),
        chain_verified: 'true',
        entries: evidence.map(({ seq }) => seq),
      };
    });
  });
}

/** What the bundle proves: the rows of its claim by evidence_hash. */
function provenRows({ bundle, duplicate }, trusted, earlier) {
  must(duplicate === undefined, `the bundle names the member ${duplicate} twice in one object`);
  must(isDay(bundle.range.from) && isDay(bundle.range.to) && bundle.range.from <= bundle.range.to, 'the range is none');
  const entries = readEntries(bundle);
  const checkpoint = checkCheckpoint(bundle, trusted, earlier);
  checkInclusion(bundle, entries, checkpoint);
  const ofKind = (wanted) => [...entries.values()].filter(({ kind }) => kind === wanted).sort(bySeq);
  const [detections, bases] = [ofKind('detection'), ofKind('cost_basis')];
  checkCurrent(detections, bases, bundle.range);
  checkConfig(bundle, entries);
  const rows = claimRows(bundle, detections, bases, openSamples(bundle, entries));
  const told = bundle.rows.map(({ evidence_hash, entries: seqs }) => `${evidence_hash} ${seqs.join()}`).sort();
  const found = rows.map(({ evidence_hash, entries: seqs }) => `${evidence_hash} ${seqs.join()}`).sort();
  must(told.join('\n') === found.join('\n'), 'the rows of the bundle do not follow from its entries');
  return new Map(rows.map((row) => [row.evidence_hash, row]));
}

function rowReasons(cells, proven, seen) {
  if (cells.chain_verified === 'false') return ['the service itself says chain_verified=false'];
  const row = proven.get(cells.evidence_hash);
  if (row === undefined) return ['no row of the bundle has this evidence_hash'];
  if (seen.has(cells.evidence_hash)) return ['the row stands twice in the claim'];
  seen.add(cells.evidence_hash);
  const texts = ['asn_org', 'channel'];
  return COLUMNS.filter(
    (name) => !(texts.includes(name) ? sameText(cells[name], row[name]) : cells[name] === row[name]),
  ).map((name) => `${name} is ${cells[name]}, the evidence says ${row[name]}`);
}

/**
 * Verifies a claim.
 *
 * @param {{claim: Uint8Array, bundle: Uint8Array, key?: string, checkpoint?: Uint8Array}} input the bytes of the files;
 *   `key`: the vkey that must have signed; `checkpoint`: a note of that log that the reader kept
 * @returns {{exit: 0|1|2, trusted: boolean, problem?: string, rows: {row: number, asn: string, channel: string, ok: boolean, reasons: string[]}[]}}
 *   `problem`: why nothing of the bundle holds, or, with exit 2, why it can't be read
 */
export function verifyClaim(input) {
  const trusted = input.key !== undefined;
  try {
    const claim = readClaim(input.claim);
    const read = readBundle(input.bundle);
    const key = trusted ? parseKey(input.key) : undefined;
    readable(!trusted || key !== undefined, 'the key given is no vkey of Ed25519');
    const earlier =
      input.checkpoint === undefined ? undefined : parseCheckpoint(utf8(input.checkpoint, 'the checkpoint given'));
    readable(input.checkpoint === undefined || earlier !== undefined, 'the checkpoint given is none');
    let proven;
    let problem;
    try {
      proven = provenRows(read, key, earlier);
    } catch (error) {
      // A RangeError: nested too deeply.
      if (!(error instanceof Failed || error instanceof RangeError)) throw error;
      problem = error.message;
    }
    const seen = new Set();
    const rows = claim.map((cells, index) => {
      const reasons = problem === undefined ? rowReasons(cells, proven, seen) : [problem];
      return { row: index + 1, asn: cells.asn, channel: cells.channel, ok: reasons.length === 0, reasons };
    });
    const ok = problem === undefined && rows.every((row) => row.ok);
    return { exit: ok ? 0 : 1, trusted, ...(problem === undefined ? {} : { problem }), rows };
  } catch (error) {
    if (error instanceof Unreadable) return { exit: 2, trusted, problem: error.message, rows: [] };
    throw error;
  }
}

/** What a person reads: a line a row. */
export function verdictLines({ exit, trusted, problem, rows }) {
  if (exit === 2) return [`cannot verify: ${problem}`];
  const oneLine = (text) => text.replace(/\p{Cc}/gu, ' ');
  const lines = rows.map(({ row, asn, channel, ok, reasons }) =>
    oneLine(`${ok ? 'OK' : 'FAIL'} row ${row} AS${asn || '?'} ${channel}${ok ? '' : `: ${reasons.join('; ')}`}`),
  );
  if (rows.length === 0 && problem !== undefined) lines.push(oneLine(`FAIL bundle: ${problem}`));
  if (!trusted) lines.push('NOTE the key came from the bundle and is not independently trusted');
  return lines;
}

function readArguments(words) {
  const files = [];
  const options = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === '--json') options.json = true;
    else if ((word === '--key' || word === '--checkpoint') && at + 1 < words.length)
      options[word.slice(2)] = words[++at];
    else if (word.startsWith('--')) throw new Unreadable(USAGE);
    else files.push(word);
  }
  readable(files.length === 2, USAGE);
  return { files, ...options };
}

/** Runs the command with the words behind its name. */
export function runVerifier(words) {
  try {
    const { files, key, checkpoint, json } = readArguments(words);
    const read = (path) => {
      try {
        return readFileSync(path);
      } catch (error) {
        throw new Unreadable(`${path} cannot be read: ${error.code ?? error.message}`);
      }
    };
    const verdict = verifyClaim({
      claim: read(files[0]),
      bundle: read(files[1]),
      ...(key === undefined ? {} : { key }),
      ...(checkpoint === undefined ? {} : { checkpoint: read(checkpoint) }),
    });
    const text = json ? JSON.stringify(verdict) : verdictLines(verdict).join('\n');
    return verdict.exit === 2 && !json
      ? { exit: 2, stdout: '', stderr: `${text}\n` }
      : { exit: verdict.exit, stdout: `${text}\n`, stderr: '' };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { exit: 2, stdout: '', stderr: `${error.message}\n` };
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { exit, stdout, stderr } = runVerifier(process.argv.slice(2));
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  process.exitCode = exit;
}
