import type { AuditRecord } from '../../src/core/audit.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Disk } from '../../src/world/disk.ts'

export async function writeLog(disk: Disk, path: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const file = await disk.open(path)
  await file.truncate(0)
  await file.write(0, bytes)
  await file.sync()
  await file.close()
}

/** Null when there is no such file. */
export async function readLog(disk: Disk, path: string): Promise<Buffer | null> {
  const reader = await disk.openToRead(path)
  if (reader === null) return null
  const bytes = await reader.read(0, await reader.size())
  await reader.close()
  return Buffer.from(bytes)
}

export async function readLines(disk: Disk, path: string): Promise<readonly unknown[]> {
  const text = (await readLog(disk, path))?.toString('utf8') ?? ''
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

export function logOf(...lines: readonly (object | string)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}

/** What a ledger says about documents and their history, apart from when and in which commit it learnt of it. */
export async function contentsOf(ledger: Ledger): Promise<object> {
  const documents: object[] = []
  for (let after: string | undefined; ; ) {
    const page = await ledger.documents.list({ limit: 1000, after })
    documents.push(...page.items.map(({ etag: _, ...document }) => document))
    if (page.next === null) break
    after = page.next
  }
  const history: Omit<AuditRecord, 'seq' | 'cursor'>[] = []
  for await (const { seq: _, cursor: __, ...record } of ledger.audit.records({})) history.push(record)
  return { documents, history, counts: await ledger.counts('document') }
}
