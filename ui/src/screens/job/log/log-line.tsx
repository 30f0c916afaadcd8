import { memo } from 'react'
import { found, type Span, spansOf } from '../../../shapes/ansi.ts'
import styles from './log.module.css'

interface LogLineProps {
  readonly text: string
  /** From 1 on; null while it is not known. */
  readonly number: number | null
  readonly search: string
  /** It is the one that was linked to, or the hit that one is at. */
  readonly mark: 'linked' | 'hit' | null
  readonly onNumber: () => void
}

/** One line. Only those on the screen are taken apart. */
export const LogLine = memo(
  function LogLine({ text, number, search, mark, onNumber }: LogLineProps) {
    return (
      <div className={styles.line} data-mark={mark ?? undefined}>
        <button
          type="button"
          className={styles.number}
          tabIndex={-1}
          aria-label={number === null ? 'Link to this line' : `Link to line ${number}`}
          onClick={onNumber}
        >
          {number ?? '·'}
        </button>
        <code className={styles.text}>
          {found(spansOf(text), search).map((span, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, in their order
            <span key={i} className={classOf(span)}>
              {span.text}
            </span>
          ))}
        </code>
      </div>
    )
  },
  (before, after) =>
    before.text === after.text &&
    before.number === after.number &&
    before.search === after.search &&
    before.mark === after.mark,
)

function classOf({ fg, bg, isFound, ...set }: Span): string | undefined {
  const names = [
    fg === null ? null : styles[`fg-${fg}`],
    bg === null ? null : styles[`bg-${bg}`],
    set.isBold ? styles.bold : null,
    set.isDim ? styles.dim : null,
    set.isItalic ? styles.italic : null,
    set.isUnderlined ? styles.underlined : null,
    set.isStruck ? styles.struck : null,
    isFound ? styles.found : null,
  ].filter((name) => name != null)
  return names.length === 0 ? undefined : names.join(' ')
}
