import { useEffect, useRef, useState } from 'react'
import type { HistoryRecord } from '../../api/live.ts'
import { usePage } from '../../app/context.ts'
import { count, many } from '../../format/numbers.ts'
import { Button } from '../../parts/button.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { readForExport } from './export-history.ts'
import type { Filter } from './filter-meaning.ts'
import { markdownOf } from './history-markdown.ts'
import { askedFor } from './use-log-feed.ts'

const FORMATS = {
  JSON: {
    type: 'application/json',
    ending: 'json',
    write: (records: readonly HistoryRecord[]) => `${JSON.stringify(records, null, 2)}\n`,
  },
  Markdown: { type: 'text/markdown', ending: 'md', write: markdownOf },
} as const

type Format = keyof typeof FORMATS

/** Everything that matches, as a file. */
export function ExportButtons({ filter }: { readonly filter: Filter }) {
  const { tenant } = usePage()
  const toasts = useToasts()
  const [running, setRunning] = useState<{ readonly format: Format; readonly count: number } | null>(null)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])

  const run = async (format: Format) => {
    stop.current = new AbortController()
    const { signal } = stop.current
    setRunning({ format, count: 0 })
    try {
      const { records, isMore } = await readForExport({
        ...askedFor(filter, tenant),
        signal,
        onProgress: (done) => setRunning({ format, count: done }),
      })
      save(records, format)
      const which = isMore
        ? `The newest ${count(records.length)} entries were`
        : `${many(records.length, 'entry', 'entries')}`
      toasts.say(isMore ? `${which} exported; there are more` : `${which} exported`)
    } catch (error) {
      if (!signal.aborted) toasts.fail(error)
    }
    setRunning(null)
  }
  if (running !== null) {
    return (
      <Button onClick={() => stop.current.abort()} label="Stop the export">
        {running.format}: {count(running.count)} read… Stop
      </Button>
    )
  }
  return (Object.keys(FORMATS) as Format[]).map((format) => (
    <Button
      key={format}
      onClick={() => void run(format)}
      title="What matches the filter, up to 10,000 entries"
    >
      Export {format}
    </Button>
  ))
}

function save(records: readonly HistoryRecord[], format: Format): void {
  const { type, ending, write } = FORMATS[format]
  const url = URL.createObjectURL(new Blob([write(records)], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = `waybill-log-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${ending}`
  link.click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
