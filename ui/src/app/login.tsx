// Trades the code of a one-time link for a session. The code is after the hash, which browsers send to nobody.
import { useEffect, useState } from 'react'
import { Unreachable } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { openSession, sessionQuery } from '../api/session.ts'
import styles from './login.module.css'
import { useTitle } from './title.ts'

type Opening = 'opening' | 'no-code' | 'used' | 'unreachable'

const SAID: { readonly [opening in Opening]: string } = {
  opening: 'Opening…',
  'no-code': 'To open the page, use the link that the server printed, or make one with:',
  used: 'This link was used before, or is too old. Make another with:',
  unreachable: 'The server cannot be reached.',
}

/** Once for each link, however often the screen is made: a code is good for one try. */
let opening: Promise<Opening | null> | null = null

async function logIn(): Promise<Opening | null> {
  const code = location.hash.slice(1)
  history.replaceState(null, '', '/login')
  try {
    if (code !== '') await openSession(code)
    await queryClient.fetchQuery(sessionQuery)
    return null
  } catch (error) {
    if (error instanceof Unreachable) return 'unreachable'
    // A link that was used before is good enough for whoever came in by it.
    const isIn = await queryClient.fetchQuery(sessionQuery).then(
      () => true,
      () => false,
    )
    if (isIn) return null
    return code === '' ? 'no-code' : 'used'
  }
}

export function LoginScreen() {
  useTitle('Open')
  const [state, setState] = useState<Opening>('opening')
  useEffect(() => {
    const open = () =>
      void opening?.then((problem) => {
        if (problem === null) location.replace('/')
        else setState(problem)
      })
    // Another link in the same tab differs from this one after the hash only, and loads nothing.
    const onHash = () => {
      if (location.hash === '') return
      setState('opening')
      opening = logIn()
      open()
    }
    opening ??= logIn()
    open()
    window.addEventListener('hashchange', onHash)
    return () => window.removeEventListener('hashchange', onHash)
  }, [])
  return (
    <main className={styles.login}>
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>Waybill</h1>
      <p role="status">{SAID[state]}</p>
      {state === 'no-code' || state === 'used' ? <code>waybill tokens link</code> : null}
    </main>
  )
}
