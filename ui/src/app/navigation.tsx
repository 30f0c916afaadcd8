import { Link } from '@tanstack/react-router'
import { Button } from '../parts/button.tsx'
import styles from './navigation.module.css'
import { prefer, THEMES, usePreferences } from './preferences.ts'

/** Where one can go, and the keys that lead there. */
export const PLACES = [
  { to: '/', title: 'Dashboard', keys: 'g d', icon: 'M4 13h6V4H4zm10 7h6V4h-6zM4 20h6v-4H4z' },
  {
    to: '/radar',
    title: 'Radar',
    keys: 'g p',
    icon: 'M4 5h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4zM4 11h4v4H4zm6 0h4v4h-4zM4 17h4v3H4zm12-6h4v4h-4z',
  },
  { to: '/jobs', title: 'Jobs', keys: 'g j', icon: 'M4 6h16v3H4zm0 5h16v3H4zm0 5h10v3H4z' },
  { to: '/documents', title: 'Documents', keys: 'g o', icon: 'M6 3h8l4 4v14H6zm7 1v4h4' },
  { to: '/logs', title: 'Logs', keys: 'g l', icon: 'M4 6l4 4-4 4M11 16h9' },
  { to: '/workstreams', title: 'Workstreams', keys: 'g w', icon: 'M4 4h4v16H4zm6 0h4v10h-4zm6 0h4v13h-4z' },
  { to: '/runs', title: 'Runs', keys: 'g r', icon: 'M7 4l12 8-12 8z' },
  { to: '/queues', title: 'Queues', keys: 'g q', icon: 'M4 7h12M4 12h16M4 17h8' },
  {
    to: '/settings',
    title: 'Settings',
    keys: 'g s',
    icon: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v4M12 18v4M2 12h4M18 12h4',
  },
] as const

const THEME_MARKS = { system: '◐', light: '☀', dark: '☾' } as const

export function Navigation({ onHelp }: { readonly onHelp: () => void }) {
  const { theme } = usePreferences()
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <nav className={styles.nav} aria-label="Screens">
      <p className={styles.brand}>
        <img src="/icon.svg" alt="" width="26" height="26" />
        Waybill
      </p>
      <ul className={styles.places}>
        {PLACES.map(({ to, title, icon, keys }) => (
          <li key={to}>
            <Link
              to={to}
              className={styles.place}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              title={`${title} (${keys})`}
            >
              <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
                <path d={icon} />
              </svg>
              <span>{title}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <Button
          look="quiet"
          label={`Theme: ${theme}. Change to ${next}`}
          title={`Theme: ${theme}`}
          onClick={() => prefer({ theme: next })}
        >
          <span aria-hidden="true">{THEME_MARKS[theme]}</span>
        </Button>
        <Button look="quiet" label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={onHelp}>
          ?
        </Button>
      </div>
    </nav>
  )
}
