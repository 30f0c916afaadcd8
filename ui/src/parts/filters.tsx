// Fields that narrow a list down. What they say is in the URL.
import { type ReactNode, useEffect, useState } from 'react'
import { listIn, useUrlState } from '../app/url-state.ts'
import styles from './filters.module.css'

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search className={styles.filters} aria-label="Filters">
      {children}
    </search>
  )
}

const PAUSE_MS = 250

interface TextFilterProps {
  /** Its name in the URL. */
  readonly name: string
  readonly label: string
  readonly placeholder?: string
}

export function TextFilter({ name, label, placeholder }: TextFilterProps) {
  const [url, setUrl] = useUrlState()
  const said = url[name] ?? ''
  const [text, setText] = useState(said)
  useEffect(() => setText(said), [said])
  useEffect(() => {
    if (text === said) return
    const timer = setTimeout(() => setUrl({ [name]: text.trim() }, { isPlace: false }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, said, name, setUrl])
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  )
}

interface ChoiceFilterProps {
  readonly name: string
  readonly label: string
  /** What may be chosen; the first is what holds when nothing is. */
  readonly choices: readonly { readonly value: string; readonly title: string }[]
}

export function ChoiceFilter({ name, label, choices }: ChoiceFilterProps) {
  const [url, setUrl] = useUrlState()
  const first = choices[0]?.value ?? ''
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <select
        value={url[name] ?? first}
        onChange={({ target }) => setUrl({ [name]: target.value === first ? null : target.value })}
      >
        {choices.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ChipFilterProps {
  readonly name: string
  readonly label: string
  readonly chips: readonly {
    readonly value: string
    readonly title: ReactNode
    readonly tone: string
    readonly about?: string
  }[]
}

/** Any of several. */
export function ChipFilter({ name, label, chips }: ChipFilterProps) {
  const [url, setUrl] = useUrlState()
  const chosen = listIn(url[name])
  const toggle = (value: string) => {
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
    setUrl({ [name]: next.join(',') })
  }
  return (
    <fieldset className={styles.chips}>
      <legend>{label}</legend>
      {chips.map(({ value, title, tone, about }) => (
        <button
          key={value}
          type="button"
          className={styles.chip}
          data-tone={tone}
          data-value={value}
          aria-pressed={chosen.includes(value)}
          title={about}
          onClick={() => toggle(value)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  )
}
