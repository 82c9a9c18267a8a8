import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { readWire, unsigned, type WireReader } from './ssh-wire.ts';

/** A public key of OpenSSH's. */
export interface SshKey {
  /** `ssh-ed25519`, `sk-ssh-ed25519@openssh.com`, … */
  readonly type: string;
  /** The key as OpenSSH writes it before base64. Two keys are the same when these are. */
  readonly blob: Buffer;
  /** `SHA256:…`, as `ssh-keygen -l` shows it. */
  readonly fingerprint: string;
  /** True for a key that lives in a device and signs only when somebody touches it. */
  readonly isHardware: boolean;
  /** Why these bytes are not this key's signature of the content; undefined when they are. */
  refuse(content: Buffer, signature: Buffer): string | undefined;
}

/** Reads the binary form of a public key. The text says what is wrong with one that cannot be used. */
export function readSshKey(blob: Buffer): SshKey | string {
  const reader = readWire(blob);
  const type = reader.text() ?? '';
  const form = forms[type];
  if (form === undefined)
    return type.includes('-cert-') ? 'a certificate cannot be used, only a key' : `a key of type ${type || 'unknown'}`;
  const read = form(reader);
  if (read === undefined || !reader.isDone()) return `a ${type} key that is cut off or damaged`;
  if (typeof read === 'string') return read;
  const fingerprint = `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
  return { type, blob, fingerprint, isHardware: type.startsWith('sk-'), refuse: read };
}

type Check = SshKey['refuse'];

/** How each type is read after its name, and how its signatures are checked. */
const forms: Readonly<Record<string, (reader: WireReader) => Check | string | undefined>> = {
  'ssh-ed25519': (reader) => checkEd25519(reader.string()),
  'ssh-rsa': checkRsa,
  'ecdsa-sha2-nistp256': (reader) => checkEcdsa(reader, curves.nistp256),
  'ecdsa-sha2-nistp384': (reader) => checkEcdsa(reader, curves.nistp384),
  'ecdsa-sha2-nistp521': (reader) => checkEcdsa(reader, curves.nistp521),
  'sk-ssh-ed25519@openssh.com': (reader) => {
    const point = reader.string();
    return touched('sk-ssh-ed25519@openssh.com', reader.string(), ed25519(point));
  },
  'sk-ecdsa-sha2-nistp256@openssh.com': (reader) => {
    const key = curveKey(reader, curves.nistp256);
    return touched('sk-ecdsa-sha2-nistp256@openssh.com', reader.string(), key && ecdsa(key, curves.nistp256));
  },
};

/** Whether bytes are a signature of the content. */
type Holds = (content: Buffer, signature: Buffer) => boolean;

interface Curve {
  readonly name: string;
  readonly crv: string;
  readonly hash: string;
  readonly size: number;
}

const curves = {
  nistp256: { name: 'nistp256', crv: 'P-256', hash: 'sha256', size: 32 },
  nistp384: { name: 'nistp384', crv: 'P-384', hash: 'sha384', size: 48 },
  nistp521: { name: 'nistp521', crv: 'P-521', hash: 'sha512', size: 66 },
} as const;

const differs = 'it is not a signature of this text by this key';

/** A signature with the name of its form before it. */
function plain(form: string, holds: Holds | undefined): Check | undefined {
  if (holds === undefined) return undefined;
  return (content, signature) => {
    const reader = readWire(signature);
    const named = reader.text();
    const bytes = reader.string();
    if (bytes === undefined || !reader.isDone()) return 'the signature is cut off or damaged';
    if (named !== form) return `the signature is of the form ${named}, expected ${form}`;
    return holds(content, bytes) ? undefined : differs;
  };
}

/** A device signs a digest with what it knows of the moment: whether it was touched, and how often it has signed. */
function touched(form: string, application: Buffer | undefined, holds: Holds | undefined): Check | undefined {
  if (application === undefined || holds === undefined) return undefined;
  return (content, signature) => {
    const reader = readWire(signature);
    const named = reader.text();
    const bytes = reader.string();
    const moment = reader.bytes(5);
    if (bytes === undefined || moment === undefined || !reader.isDone()) return 'the signature is cut off or damaged';
    if (named !== form) return `the signature is of the form ${named}, expected ${form}`;
    if (((moment[0] ?? 0) & 1) === 0) return 'the device was not touched for this signature';
    const digest = (some: Buffer): Buffer => createHash('sha256').update(some).digest();
    return holds(Buffer.concat([digest(application), moment, digest(content)]), bytes) ? undefined : differs;
  };
}

const checkEd25519 = (point: Buffer | undefined): Check | undefined => plain('ssh-ed25519', ed25519(point));

function ed25519(point: Buffer | undefined): Holds | undefined {
  if (point?.length !== 32) return undefined;
  const key = keyFrom({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') });
  return key && ((content, signature) => signature.length === 64 && verify(null, content, key, signature));
}

function checkEcdsa(reader: WireReader, curve: Curve): Check | undefined {
  const key = curveKey(reader, curve);
  return key && plain(`ecdsa-sha2-${curve.name}`, ecdsa(key, curve));
}

function curveKey(reader: WireReader, { name, crv, size }: Curve): KeyObject | undefined {
  const named = reader.text();
  const point = reader.string();
  if (named !== name || point?.length !== 1 + 2 * size || point[0] !== 4) return undefined;
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map((part) => part.toString('base64url'));
  return keyFrom({ kty: 'EC', crv, x: x ?? '', y: y ?? '' });
}

const ecdsa =
  (key: KeyObject, { hash, size }: Curve): Holds =>
  (content, signature) => {
    const reader = readWire(signature);
    const [r, s] = [reader.string(), reader.string()];
    if (r === undefined || s === undefined || !reader.isDone()) return false;
    const both = Buffer.concat([unsigned(r, size), unsigned(s, size)]);
    return both.length === 2 * size && verify(hash, content, { key, dsaEncoding: 'ieee-p1363' }, both);
  };

const fewestRsaBits = 2048;

/** OpenSSH still calls these keys `ssh-rsa`; signatures with SHA-1, which have that name too, are refused. */
function checkRsa(reader: WireReader): Check | string | undefined {
  const [e, n] = [reader.string(), reader.string()];
  if (e === undefined || n === undefined) return undefined;
  const bits = unsigned(n).length * 8;
  if (bits < fewestRsaBits) return `an RSA key of ${bits} bits, expected ${fewestRsaBits} or more`;
  const key = keyFrom({ kty: 'RSA', e: unsigned(e).toString('base64url'), n: unsigned(n).toString('base64url') });
  if (key === undefined) return undefined;
  return (content, signature) => {
    const form = readWire(signature).text();
    const hash = form === 'rsa-sha2-512' ? 'sha512' : 'sha256';
    const check = plain(`rsa-sha2-${hash.slice(3)}`, (text, bytes) => verify(hash, text, key, bytes));
    return check?.(content, signature);
  };
}

/** Undefined for numbers that are not a key, such as a point that is not on its curve. */
function keyFrom(key: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}
