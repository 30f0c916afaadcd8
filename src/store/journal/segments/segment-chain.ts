import { fromEpochSeconds } from '../../../core/time.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import type { SegmentIndex, SegmentLink } from './layout.ts'
import { Segment } from './segment.ts'
import { listSegments, type SegmentFile } from './segment-name.ts'
import { type MemberCache, newMemberCache } from './segment-reader.ts'
import { type SegmentFinding, verifySegment } from './verify-segment.ts'

/** The segments in a folder, oldest first. Nothing is read but their names. */
export async function openSegments(
  disk: Disk,
  folder: string,
  cache: MemberCache = newMemberCache(),
): Promise<readonly Segment[]> {
  return (await listSegments(disk, folder)).map((file) => new Segment(disk, file, cache))
}

/** Ranges that overlap, and ranges that are missing, as far as names tell. What is missing before the first is retired. */
export function findGaps(files: readonly SegmentFile[]): readonly SegmentFinding[] {
  return files.slice(1).flatMap((file, i) => {
    const before = files[i] as SegmentFile
    if (file.firstSeq === before.lastSeq + 1) return []
    return file.firstSeq <= before.lastSeq
      ? finding(file.path, `it overlaps ${before.name}`)
      : finding(file.path, `seq ${before.lastSeq + 1} to ${file.firstSeq - 1} are missing before it`)
  })
}

export interface VerifyProgress {
  readonly file: string
  readonly doneBytes: number
  readonly totalBytes: number
}

/** Proves that the history was not altered, or says where it was. */
export async function verifySegments(
  disk: Disk,
  folder: string,
  onProgress: (progress: VerifyProgress) => void = () => {},
): Promise<readonly SegmentFinding[]> {
  const files = await listSegments(disk, folder)
  const totalBytes = await sizeOf(disk, files)
  const findings = [...findGaps(files)]
  let doneBytes = 0
  let before: Told | null = null
  for (const file of files) {
    const found = await verifySegment(disk, file, (bytes) => {
      doneBytes += bytes
      onProgress({ file: file.path, doneBytes, totalBytes })
    })
    if (found.length > 0 && (await isRetired(disk, folder, file))) continue
    findings.push(...found)
    // Where it cannot be read, that was found; nothing can be said of what it follows.
    const told: Told | null = await tell(disk, file).catch(() => null)
    if (told !== null) findings.push(...checkLink(told, before))
    before = told
  }
  return findings
}

export interface Retirement {
  /** Segments that end before this seq may go. */
  readonly beforeSeq?: number | undefined
  /** Segments whose last record is from before this time may go: epoch milliseconds. */
  readonly beforeTime?: number | undefined
  /** Whatever else is said, from this seq on everything stays: the oldest snapshot needs it. */
  readonly keepFromSeq: number
}

export interface Retired {
  readonly segments: readonly Segment[]
  readonly audit_records: number
}

/** Removes the oldest segments, one after the other, so that a crash leaves no gap. They are given oldest first. */
export async function retireSegments(
  segments: readonly Segment[],
  { beforeSeq, beforeTime, keepFromSeq }: Retirement,
): Promise<Retired> {
  const retired: Segment[] = []
  let audit_records = 0
  for (const segment of segments) {
    if (segment.lastSeq >= keepFromSeq) break
    const index = await readableIndex(segment)
    // Nobody knows how old it is, and nothing is removed because it is damaged.
    if (index === null) break
    const { records, times } = index
    const isOld =
      (beforeSeq !== undefined && segment.lastSeq < beforeSeq) ||
      (beforeTime !== undefined && (times === null || fromEpochSeconds(times[1]) < beforeTime))
    if (!isOld) break
    await segment.retire()
    retired.push(segment)
    audit_records += records
  }
  return { segments: retired, audit_records }
}

async function readableIndex(segment: Segment): Promise<SegmentIndex | null> {
  try {
    return await segment.index()
  } catch (error) {
    if (error instanceof LedgerDamaged) return null
    throw error
  }
}

/** A segment's word on itself and on the one before it. */
interface Told {
  readonly file: SegmentFile
  readonly link: SegmentLink
  readonly index: SegmentIndex
}

async function tell(disk: Disk, file: SegmentFile): Promise<Told> {
  const segment = new Segment(disk, file)
  return { file, index: await segment.index(), link: await segment.link() }
}

function checkLink({ file, index: { previous } }: Told, before: Told | null): readonly SegmentFinding[] {
  if (file.firstSeq === 1 && previous !== null) {
    return [finding(file.path, `it is the first, and says that ${previous.name} came before it`)]
  }
  if (before === null || before.file.lastSeq + 1 !== file.firstSeq) return []
  const { name, sha256 } = before.link
  if (previous?.name === name && previous.sha256 === sha256) return []
  const said = previous === null ? 'nothing' : `${previous.name} with checksum ${previous.sha256}`
  return [finding(before.file.path, `its checksum is ${sha256}; ${file.name} was sealed after ${said}`)]
}

function finding(file: string, what: string): SegmentFinding {
  return { file, byte: 0, where: `${file}, byte 0`, what }
}

/** Since the folder was listed. The oldest go first: one that is missing between others was not retired. */
async function isRetired(disk: Disk, folder: string, { lastSeq }: SegmentFile): Promise<boolean> {
  const [oldest] = await listSegments(disk, folder)
  return oldest === undefined || oldest.firstSeq > lastSeq
}

async function sizeOf(disk: Disk, files: readonly SegmentFile[]): Promise<number> {
  let bytes = 0
  for (const { path } of files) {
    const file = await disk.openToRead(path)
    bytes += (await file?.size()) ?? 0
    await file?.close()
  }
  return bytes
}
