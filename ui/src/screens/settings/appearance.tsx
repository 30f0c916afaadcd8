import type { ReactNode } from 'react'
import { useNow } from '../../app/now.ts'
import { prefer, THEMES, usePreferences } from '../../app/preferences.ts'
import { absolute } from '../../format/time.ts'
import { Panel } from '../../parts/panel.tsx'
import styles from './settings.module.css'

const THEME_TITLES = { system: 'As the system has it', light: 'Light', dark: 'Dark' } as const
const ZONES = ['local', 'utc'] as const

/** What this browser keeps of how a reader likes it. */
export function Appearance() {
  const { theme, zone } = usePreferences()
  const now = useNow()
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Panel title="Appearance">
      <div className={styles.stack}>
        <Choices legend="Theme">
          {THEMES.map((one) => (
            <Choice
              key={one}
              name="theme"
              isChosen={theme === one}
              title={THEME_TITLES[one]}
              onChoose={() => prefer({ theme: one })}
            />
          ))}
        </Choices>
        <Choices legend="Time zone">
          {ZONES.map((one) => (
            <Choice
              key={one}
              name="zone"
              isChosen={zone === one}
              title={one === 'utc' ? 'UTC' : `Mine (${here})`}
              onChoose={() => prefer({ zone: one })}
            />
          ))}
        </Choices>
        <p className={styles.muted}>
          Now it is {absolute(new Date(now).toISOString(), zone).replace(/\.\d+/, '')}.
        </p>
      </div>
    </Panel>
  )
}

function Choices({ legend, children }: { readonly legend: string; readonly children: ReactNode }) {
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      {children}
    </fieldset>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly title: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Choice({ name, title, isChosen, onChoose }: ChoiceProps) {
  return (
    <label className={styles.choice}>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      {title}
    </label>
  )
}
