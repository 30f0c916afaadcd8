import type { Disk } from '../../world/disk.ts'

const DIGITS = 15

/** Ends the name of a file that is not finished. */
export const TEMPORARY = '.tmp'

export const AUDIT_FOLDER = 'audit'

export function paddedSeq(seq: number): string {
  return String(seq).padStart(DIGITS, '0')
}

export function deltaName(firstSeq: number): string {
  return `delta-${paddedSeq(firstSeq)}.jsonl`
}

/** `iso` is the time at which it is made. Sorted by name they are sorted by time. */
export function snapshotName(iso: string, seq: number): string {
  return `snapshot-${iso.replaceAll(/[-:]/g, '')}-${paddedSeq(seq)}.json.gz`
}

export interface NamedFile {
  readonly name: string
  readonly path: string
  readonly seq: number
}

/** What a ledger's folder holds, by name, oldest first. */
export interface JournalFiles {
  readonly deltas: readonly NamedFile[]
  readonly snapshots: readonly NamedFile[]
  readonly unfinished: readonly string[]
}

export async function listFiles(disk: Disk, folder: string): Promise<JournalFiles> {
  const [names, audit] = await Promise.all([disk.list(folder), disk.list(`${folder}/${AUDIT_FOLDER}`)])
  const unfinished = names.filter((name) => name.endsWith(TEMPORARY)).map((name) => `${folder}/${name}`)
  unfinished.push(
    ...audit.filter((name) => name.endsWith(TEMPORARY)).map((name) => `${folder}/${AUDIT_FOLDER}/${name}`),
  )
  return {
    deltas: named(folder, names, /^delta-(\d{15})\.jsonl$/),
    snapshots: named(folder, names, /^snapshot-[^-]+-(\d{15})\.json\.gz$/),
    unfinished,
  }
}

function named(folder: string, names: readonly string[], pattern: RegExp): readonly NamedFile[] {
  return names
    .flatMap((name) => {
      const seq = pattern.exec(name)?.[1]
      return seq === undefined ? [] : { name, path: `${folder}/${name}`, seq: Number(seq) }
    })
    .sort((a, b) => a.seq - b.seq || (a.name < b.name ? -1 : 1))
}
