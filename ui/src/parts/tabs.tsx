// Tabs whose choice is in the URL.
import type { ReactNode } from 'react'
import { useUrlState } from '../app/url-state.ts'
import { Contained } from './panel.tsx'
import styles from './tabs.module.css'

export interface Tab {
  readonly id: string
  readonly title: ReactNode
  readonly content: () => ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** Its name in the URL. */
  readonly name?: string
}

export function Tabs({ label, tabs, name = 'tab' }: TabsProps) {
  const [url, setUrl] = useUrlState()
  const chosen = tabs.find(({ id }) => id === url[name]) ?? tabs[0]
  if (chosen === undefined) return null
  const choose = (tab: Tab | undefined) => {
    if (tab === undefined) return
    setUrl({ [name]: tab === tabs[0] ? null : tab.id })
    document.getElementById(`tab-${name}-${tab.id}`)?.focus()
  }
  const step = (by: number) => choose(tabs[(tabs.indexOf(chosen) + by + tabs.length) % tabs.length])
  return (
    <div className={styles.tabs}>
      <div
        className={styles.list}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') step(1)
          if (key === 'ArrowLeft') step(-1)
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${name}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab === chosen}
            aria-controls={`panel-${name}`}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => choose(tab)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id={`panel-${name}`} role="tabpanel" aria-labelledby={`tab-${name}-${chosen.id}`}>
        <Contained key={chosen.id}>{chosen.content()}</Contained>
      </div>
    </div>
  )
}
