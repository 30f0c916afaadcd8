// The one field of the filter. What may come next is offered below it and chosen by keys; the filter holds when Enter is
// pressed, when a value was chosen, or when nothing was typed for a moment and all of it makes sense.
import { useEffect, useId, useRef, useState } from 'react'
import styles from './filter-box.module.css'
import { type Completion, complete, completed, type Vocabulary } from './filter-completion.ts'
import { filterOf, type Known } from './filter-meaning.ts'

interface FilterBoxProps {
  /** The filter that holds. */
  readonly value: string
  readonly known: Known
  /** Asked when somebody begins to type. */
  readonly vocabulary: () => Vocabulary
  onApply(text: string, isPlace: boolean): void
}

const PAUSE_MS = 500

function useDraft({ value, known, onApply }: FilterBoxProps) {
  const [draft, setDraft] = useState({ text: value, caret: value.length, isTyped: false })
  useEffect(
    () =>
      setDraft((one) => (one.text === value ? one : { text: value, caret: value.length, isTyped: false })),
    [value],
  )
  const apply = useRef(onApply)
  apply.current = onApply
  const { text, isTyped } = draft
  useEffect(() => {
    if (!isTyped || text === value || filterOf(text, known).wrong.length > 0) return
    const { isSure, items } = complete(text, text.length, known)
    // It is going to be the name of a field, or a value that is not whole yet.
    if (isSure && items.length > 0 && !items.some((item) => text.endsWith(item.text))) return
    const timer = setTimeout(() => apply.current(text, false), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, isTyped, value, known])
  return [draft, setDraft] as const
}

export function FilterBox(props: FilterBoxProps) {
  const { value, vocabulary, onApply } = props
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  const [{ text, caret }, setDraft] = useDraft(props)
  const [isOpen, setOpen] = useState(false)
  const [words, setWords] = useState<Vocabulary>({})
  const [chosen, setChosen] = useState<number | null>(null)
  const found = complete(text, caret, words)
  const { items } = found
  const isShown = isOpen && items.length > 0
  const at = chosen ?? (found.isSure ? 0 : -1)

  const type = (next: string, position: number) => {
    setDraft({ text: next, caret: position, isTyped: true })
    setChosen(null)
    setOpen(true)
  }
  const accept = (item: Completion) => {
    const next = completed(text, found, item)
    type(next.text, next.caret)
    if (!item.text.endsWith(':')) {
      setOpen(false)
      onApply(next.text.trim(), true)
    }
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret))
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const item = isShown ? items[at] : undefined
    if (event.key === 'ArrowDown') {
      setChosen(isShown ? Math.min(items.length - 1, at + 1) : null)
      setOpen(true)
    } else if (event.key === 'ArrowUp' && isShown) setChosen(Math.max(0, at - 1))
    else if ((event.key === 'Enter' || event.key === 'Tab') && item !== undefined) accept(item)
    else if (event.key === 'Enter') {
      setOpen(false)
      onApply(text.trim(), true)
    } else if (event.key === 'Escape' && isShown) setOpen(false)
    else return
    event.preventDefault()
  }
  return (
    <div className={styles.box}>
      <input
        ref={input}
        id="log-filter"
        type="text"
        role="combobox"
        aria-label="Filter"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? `${listId}-${at}` : undefined}
        placeholder="Filter: level:error kind:job actor:… or any text"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        onFocus={() => {
          setWords(vocabulary())
          setOpen(true)
        }}
        onBlur={() => {
          setOpen(false)
          if (text.trim() !== value) onApply(text.trim(), true)
        }}
        onChange={({ target }) => type(target.value, target.selectionStart ?? target.value.length)}
        onSelect={({ currentTarget: { selectionStart } }) =>
          setDraft((one) => (one.caret === selectionStart ? one : { ...one, caret: selectionStart ?? 0 }))
        }
        onKeyDown={onKeyDown}
      />
      <Offered id={listId} items={items} at={at} isShown={isShown} onAccept={accept} />
    </div>
  )
}

interface OfferedProps {
  readonly id: string
  readonly items: readonly Completion[]
  readonly at: number
  readonly isShown: boolean
  onAccept(item: Completion): void
}

function Offered({ id, items, at, isShown, onAccept }: OfferedProps) {
  const chosen = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [at])
  return (
    <div id={id} className={styles.list} role="listbox" aria-label="What may come next" hidden={!isShown}>
      {items.map((item, i) => (
        <div
          key={item.text}
          ref={i === at ? chosen : null}
          id={`${id}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === at}
          className={styles.item}
          // Before the field loses the focus, and the list goes.
          onMouseDown={(event) => {
            event.preventDefault()
            onAccept(item)
          }}
        >
          <span className={styles.title}>{item.title}</span>
          <span className={styles.about}>{item.about}</span>
        </div>
      ))}
    </div>
  )
}
