import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { heading, paint } from './paint.ts'

const ABOUT: readonly (readonly [start: string, about: string])[] = [
  ['snapshot-', 'everything as it is now'],
  ['audit/', 'how it got there, sealed'],
  ['delta-', 'what happens next'],
]

/** What a ledger's folder holds, and how to look at it. */
export function onDisk(folder: string, openedInMs: number): readonly string[] {
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort()
  const files = ABOUT.flatMap(([start, about]) =>
    names
      .filter((name) => name.startsWith(start))
      .map((name) => {
        const size = `${Math.ceil(statSync(join(folder, name)).size / 1024)} kB`
        return `    ${name.padEnd(54)}${size.padStart(8)}\n      ${paint('dim', about)}`
      }),
  )
  return [
    heading(`IN ${folder}, OPENED AGAIN IN ${Math.ceil(openedInMs)} ms`),
    ...files,
    `    ${paint('dim', 'Try:')} zcat ${folder}/snapshot-*.json.gz | less`,
    `         zcat ${folder}/audit/*.jsonl.gz | grep ingest-aurora-0034 | head -3`,
  ]
}
