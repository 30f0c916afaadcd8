import { setTimeout } from 'node:timers/promises'
import { styleText } from 'node:util'

/** Between two lines; the job says by PACE how much of it. */
const LINE_MS = 450

type Style = Parameters<typeof styleText>[0]

/** Prints line by line, as programs do that have something to do in between. */
export async function tell(...lines: readonly string[]): Promise<void> {
  const pace = Number(process.env.PACE ?? '1')
  for (const line of lines) {
    console.log(line)
    await setTimeout(LINE_MS * pace)
  }
}

/** In colour though nobody is at a terminal: it is for the log, which is shown in colour. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false })
}
