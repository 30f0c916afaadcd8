import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours are for people at a terminal who have not asked for none (NO_COLOR): files and pipes get plain text. */
export function paint(style: Style, text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text
}

export function heading(text: string): string {
  return `\n  ${paint(['bold', 'cyan'], text)}`
}

/** A bar of blocks, fine to an eighth; anything above nothing shows at least a sliver. */
export function bar(part: number, whole: number, width: number): string {
  if (part === 0) return ''
  const eighths = Math.max(Math.round((part / whole) * width * 8), 1)
  return '█'.repeat(eighths >> 3) + ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8]
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

/** How far into the day something happened. The day itself begins at another time whenever it is played. */
export function clock(msIntoDay: number): string {
  return new Date(msIntoDay).toISOString().slice(11, 19)
}

/** What some messages say of the time is true of one run only. */
export function withoutTime(message: string): string {
  return message.replace(/ by \d{4}-\S+$/, ' in time')
}

export function count(n: number): string {
  return n.toLocaleString('en')
}
