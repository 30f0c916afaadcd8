import { basename } from 'node:path'
import type { Disk } from '../../../world/disk.ts'
import { paddedSeq } from '../file-names.ts'

/** A sealed part of the history, as far as its name tells. */
export interface SegmentFile {
  readonly name: string
  readonly path: string
  readonly firstSeq: number
  readonly lastSeq: number
}

const NAME = /^(\d{15})-(\d{15})\.jsonl\.gz$/

export function segmentName(firstSeq: number, lastSeq: number): string {
  return `${paddedSeq(firstSeq)}-${paddedSeq(lastSeq)}.jsonl.gz`
}

/** Null when the file is not called like a segment. */
export function segmentFile(path: string): SegmentFile | null {
  const name = basename(path)
  const [, first, last] = NAME.exec(name) ?? []
  if (first === undefined || last === undefined) return null
  return { name, path, firstSeq: Number(first), lastSeq: Number(last) }
}

/** The names of a history, oldest first. */
export async function listSegments(disk: Disk, folder: string): Promise<readonly SegmentFile[]> {
  const names = await disk.list(folder)
  return names
    .flatMap((name) => segmentFile(`${folder}/${name}`) ?? [])
    .sort((a, b) => a.firstSeq - b.firstSeq || a.lastSeq - b.lastSeq)
}
