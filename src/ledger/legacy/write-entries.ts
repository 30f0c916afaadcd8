import type { AuditEntry } from '../../core/audit.ts'
import type { NewFile } from '../../world/new-file.ts'
import type { Batch } from './target.ts'

/** Writes audit records, one per line. Lines that are such records already stay as they are, byte for byte. */
export async function writeEntries(
  file: NewFile,
  { block, transitions }: Batch,
  entries: readonly AuditEntry[],
): Promise<void> {
  // Turned into bytes together: to do it line by line takes as long as to make the lines.
  let texts: string[] = []
  for (let index = 0; index < transitions.length; index++) {
    const line = transitions[index]
    if (line?.form !== 'record') {
      texts.push(JSON.stringify(recordOf(entries[index] as AuditEntry)))
      continue
    }
    addLines(file, texts)
    texts = []
    file.addBytes(block.bytes.subarray(line.start, line.end))
    file.addText('\n')
  }
  addLines(file, texts)
  await file.flush()
}

function addLines(file: NewFile, texts: readonly string[]): void {
  if (texts.length > 0) file.addText(`${texts.join('\n')}\n`)
}

/** The fields of an audit record, in the order in which the format has them. */
function recordOf(entry: AuditEntry): object {
  return {
    doc_id: entry.doc_id,
    old_state: entry.path[0],
    new_state: entry.path[1],
    timestamp: entry.timestamp,
    adapter: entry.adapter,
    error_type: entry.error_type,
    error_message: entry.error_message,
    traceback: entry.traceback,
    retry_count: entry.retry_count,
    max_retries: entry.max_retries,
    duration_seconds: entry.duration_seconds,
    metadata: entry.metadata,
  }
}
