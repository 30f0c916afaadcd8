import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'

/**
 * Takes secrets out of text before it is stored: error messages and stacks quote connection strings, headers and
 * tokens, and a history is kept for years and shown to many. What goes is replaced by a mark, the rest stays, so
 * that the message still says what failed.
 */
export type Redact = (text: string) => string

const MARK = '[redacted]'

/** What secrets are called, in settings, headers, query strings and JSON. Whole words: `token_count` is none. */
const NAME =
  '(?:[\\w-]{0,40}(?:password|passwd|passphrase|secret|credential|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|id[_-]?token|session[_-]?token)|pwd|token|sig|signature|jwt|cookie|set-cookie|x-api-key)'

const SECRET_NAME = new RegExp(`^(?:${NAME}|authorization)$`, 'i')

/** Each replaces what it finds by its second part. All are bounded, so that no text takes long. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // -----BEGIN RSA PRIVATE KEY----- … -----END RSA PRIVATE KEY-----
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    MARK,
  ],
  // scheme://user:password@host
  [/\b([a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@'"]{0,200}):[^\s/@'"]{1,500}@/gi, `$1:${MARK}@`],
  // Authorization: Bearer …, Basic …
  [/\b(Bearer|Basic|Digest|Token|SharedKey|SharedAccessSignature)\s+[\w+/=.~:%&-]{8,4000}/g, `$1 ${MARK}`],
  // "password": "two words", password: 'two words'
  [
    new RegExp(`\\b(${NAME}["']?\\s{0,5}[=:]\\s{0,5})(["'])(?:\\\\.|(?!\\2)[^\\\\]){1,4000}\\2`, 'gi'),
    `$1$2${MARK}$2`,
  ],
  // password=word, AccountKey=word; up to where the next setting begins
  [
    new RegExp(
      `\\b(${NAME}\\s{0,5}[=:]\\s{0,5})(?!\\[redacted\\]|(?:Bearer|Basic|Digest|Token)\\s)[^\\s"',;&)}\\]]{1,4000}`,
      'gi',
    ),
    `$1${MARK}`,
  ],
  // eyJ….eyJ….…: a signed token
  [/\beyJ[\w-]{5,4000}\.[\w-]{5,4000}(?:\.[\w-]{0,4000})?/g, MARK],
  // wb_<id>_<secret>: a token of this ledger. Which one it was is told; escaped text may have a letter before it.
  [/(wb_[0-9a-f]{12}_)[\w-]{16,255}/g, `$1${MARK}`],
  // Keys that say by their beginning whose they are
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MARK],
  [
    /\b(?:gh[opsur]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{15,255}|npm_[A-Za-z0-9]{20,255})/g,
    MARK,
  ],
  [/\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or)[-_][\w-]{10,255}|\bsk-[A-Za-z0-9]{20,255}/g, MARK],
  [
    /\bxox[abeoprs]-[\w-]{10,255}|\bAIza[\w-]{35}|\bhf_[A-Za-z0-9]{20,255}|\bSG\.[\w-]{15,255}\.[\w-]{15,255}/g,
    MARK,
  ],
]

/**
 * What the patterns above have in them, whatever else. Most texts have nothing of the kind, and one look at them is a tenth
 * of ten: metadata of documents is on the way of every one of them.
 */
const FORM =
  /-----BEGIN|Bearer|Basic|Digest|Token|Shared|eyJ|wb_|A[KS]IA|gh[opsur]_|github_|glpat|npm_|\b[srp]k[-_]|xox|AIza|hf_|SG\./
const NAMED = /:\/\/[^\s/@]{0,800}@|pass(?:word|wd|phrase)|secret|credential|key|pwd|token|\bsig|jwt|cookie/i

function hasHint(text: string): boolean {
  // Names say something only before a value.
  return FORM.test(text) || ((text.includes('=') || text.includes(':')) && NAMED.test(text))
}

export const redactText: Redact = (text) => {
  if (!hasHint(text)) return text
  let clean = text
  for (const [pattern, mark] of PATTERNS) clean = clean.replace(pattern, mark)
  return clean
}

/**
 * The same for names and texts at every depth of a value: the very same value when there is nothing to take out, which is
 * nearly always; else one that is frozen as far as it is new.
 */
export function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return redactItems(value, (item) => redactJson(item, redact))
  return isJsonObject(value) ? redactObject(value, redact) : value
}

/** The same, of an object. */
export function redactObject(value: JsonObject, redact: Redact): JsonObject {
  let clean: [string, Json][] | null = null
  const names = Object.keys(value)
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    const field = value[name] as Json
    const known = knownName(name)
    const own = known.isSecret ? redactSecret(field, redact) : redactJson(field, redact)
    if (clean === null) {
      if (own === field && known.clean === name) continue
      clean = names.slice(0, i).map((before) => [before, value[before] as Json])
    }
    clean.push([known.clean, own])
  }
  return clean === null ? value : Object.freeze(Object.fromEntries(clean))
}

/** What has a secret's name is one, or is a list of them. */
function redactSecret(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return value === '' ? value : MARK
  return Array.isArray(value)
    ? redactItems(value, (item) => (typeof item === 'string' ? MARK : redactJson(item, redact)))
    : redactJson(value, redact)
}

function redactItems(items: readonly Json[], redactItem: (item: Json) => Json): readonly Json[] {
  const clean = items.map(redactItem)
  return clean.every((item, i) => item === items[i]) ? items : Object.freeze(clean)
}

interface KnownName {
  readonly isSecret: boolean
  readonly clean: string
}

/** Names come again and again. */
const MOST_NAMES = 1000
const names = new Map<string, KnownName>()

function knownName(name: string): KnownName {
  const known = names.get(name)
  if (known !== undefined) return known
  const found = { isSecret: SECRET_NAME.test(name), clean: redactText(name) }
  if (names.size >= MOST_NAMES) names.clear()
  names.set(name, found)
  return found
}
