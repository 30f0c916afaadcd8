/**
 * How tenant and id become one key of a JSON object. The tenant that nobody has to name is left out, others come
 * before a tab. Names from the ledger hold no control characters; that no two of any others meet is seen to by writing
 * tabs and backslashes of a tenant as `\t` and `\\`, and by naming the tenant after all where an id has a tab.
 */

/** Part of the format, whatever a ledger's settings call their default. */
export const USUAL_TENANT = 'default'

const QUOTE = 34
const BACKSLASH = 92

export interface Key {
  readonly tenant_id: string
  readonly id: string
}

export function joinKey(tenant_id: string, id: string): string {
  const named = tenant_id !== USUAL_TENANT || id.includes('\t')
  return named ? `${escaped(tenant_id)}\t${id}` : id
}

export function splitKey(key: string): Key {
  const tab = key.indexOf('\t')
  if (tab === -1) return { tenant_id: USUAL_TENANT, id: key }
  return { tenant_id: unescaped(key.slice(0, tab)), id: key.slice(tab + 1) }
}

/** The key as it stands in a block, quotes and all. */
export function keyText(tenant_id: string, id: string): string {
  return JSON.stringify(joinKey(tenant_id, id))
}

/** What the keys of all ids that begin like this begin with: those that have a tab name their tenant. */
export function keyBeginnings(tenant_id: string, beginning: string): readonly string[] {
  const plain = keyText(tenant_id, beginning).slice(0, -'"'.length)
  const named = keyText(tenant_id, `${beginning}\t`).slice(0, -'\\t"'.length)
  return plain === named ? [plain] : [plain, named]
}

export function parseKey(text: string): Key {
  return splitKey(text.includes('\\') ? JSON.parse(text) : text.slice(1, -1))
}

/** Where the JSON string that starts at `from` ends; past the end of the text when it does not. */
export function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return text.length + 1
}

function escaped(tenant_id: string): string {
  return tenant_id.replace(/[\\\t]/g, (char) => (char === '\t' ? '\\t' : '\\\\'))
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, char) => (char === 't' ? '\t' : char))
}
