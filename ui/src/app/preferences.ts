// What a reader chose, kept by the browser.
import { useSyncExternalStore } from 'react'
import type { Zone } from '../format/time.ts'

export const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

interface Preferences {
  readonly theme: Theme
  readonly zone: Zone
}

const KEY = 'waybill.preferences'
const DEFAULTS: Preferences = { theme: 'system', zone: 'local' }
const listeners = new Set<() => void>()
let current = read()

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>
    return {
      theme: THEMES.find((theme) => theme === kept.theme) ?? DEFAULTS.theme,
      zone: kept.zone === 'utc' ? 'utc' : 'local',
    }
  } catch {
    // A browser that keeps nothing, or something else under this name.
    return DEFAULTS
  }
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = current.theme
}

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // It holds until the page is closed.
  }
  applyTheme()
  for (const listener of listeners) listener()
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
