// The crontab of Graphile Worker: five fields, a task, options like those of a URL, and a payload.
//
//   0 4 * * 1  send_report ?id=weekly&fill=2d&priority=5 {"to":"ops"}
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { FileNotFound } from '../../../errors/file-errors.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { Disk } from '../../../world/disk.ts'

export interface CrontabEntry {
  readonly identifier: string
  readonly task: string
  readonly cron: string
  readonly payload: JsonObject
  readonly options: { readonly [name: string]: string }
  /** Why it cannot be taken over. */
  readonly problem: string | null
}

const LINE = /^(\S+(?:\s+\S+){4})\s+([A-Za-z_][\w:.-]*)(?:\s+\?(\S*))?(?:\s+(\{.*\}))?$/

const LARGEST_BYTES = 1024 * 1024

export async function readCrontab(disk: Disk, file: string): Promise<readonly CrontabEntry[]> {
  const reader = await disk.openToRead(file)
  if (reader === null) throw new FileNotFound(file, 'Give the crontab that Graphile Worker is started with.')
  try {
    const bytes = await reader.read(0, Math.min(await reader.size(), LARGEST_BYTES))
    return parseCrontab(Buffer.from(bytes).toString(), file)
  } finally {
    await reader.close()
  }
}

function parseCrontab(text: string, file: string): readonly CrontabEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim()
    return trimmed === '' || trimmed.startsWith('#') ? [] : [entryOf(trimmed, `${file}:${index + 1}`)]
  })
}

function entryOf(line: string, where: string): CrontabEntry {
  const [, cron, task, query, json] = LINE.exec(line) ?? []
  if (cron === undefined || task === undefined) {
    const next = 'Write: minute hour day month weekday task ?options {"payload": 1}.'
    throw new InvalidInput('crontab', `${where} is not a line of a crontab of Graphile Worker`, next)
  }
  const options = Object.fromEntries(new URLSearchParams(query ?? ''))
  const payload = payloadOf(json)
  return {
    identifier: options.id ?? task,
    task,
    cron: cron.replace(/\s+/g, ' '),
    payload: payload ?? {},
    options,
    problem: payload === null ? `its payload at ${where} is not JSON: write names in quotes` : null,
  }
}

function payloadOf(json: string | undefined): JsonObject | null {
  if (json === undefined) return {}
  try {
    const value = JSON.parse(json)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
