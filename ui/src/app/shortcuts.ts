// Keys, and what they do: who handles one says what it is for, and `?` lists them all.
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Shortcut {
  /** As the event has it: `j`, `/`, `Escape`; `g d` is one after the other. */
  readonly keys: string
  readonly about: string
  run(): void
}

const groups = new Map<symbol, { readonly title: string; readonly shortcuts: readonly Shortcut[] }>()
const listeners = new Set<() => void>()
let listed: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = []

function changed(): void {
  listed = [...groups.values()]
  for (const listener of listeners) listener()
}

/** For as long as the caller is on the screen. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const shape = shortcuts.map(({ keys, about }) => `${keys} ${about}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is looked up when they are pressed
  useEffect(() => {
    const key = Symbol(title)
    const stable = latest.current.map(({ keys, about }, i) => ({
      keys,
      about,
      run: () => latest.current[i]?.run(),
    }))
    groups.set(key, { title, shortcuts: stable })
    changed()
    return () => {
      groups.delete(key)
      changed()
    }
  }, [title, shape])
}

export function useShortcutList() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => listed,
  )
}

const CHORD_MS = 1000
let before: { readonly key: string; readonly at: number } | null = null

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

/** A link or button that has the focus is what Enter is for. */
function isPressing({ key, target }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof Element && target.closest('a, button, summary') !== null
}

/** The one listener: whoever came last is asked first. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || isPressing(event) || document.querySelector('dialog[open]') !== null) return
    const chord =
      before !== null && event.timeStamp - before.at < CHORD_MS ? `${before.key} ${event.key}` : null
    before = { key: event.key, at: event.timeStamp }
    const all = [...groups.values()].toReversed().flatMap(({ shortcuts }) => shortcuts)
    const found = all.find(({ keys }) => keys === chord) ?? all.find(({ keys }) => keys === event.key)
    if (found === undefined) return
    before = null
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}
