import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { revokeToken, type TokenInfo, tokensQuery } from '../../api/tokens.ts'
import { usePage } from '../../app/context.ts'
import { PlainTable } from '../../lists/plain-table.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { useAct } from '../../parts/use-act.ts'
import { When } from '../../parts/when.tsx'
import { NewTokenForm } from './new-token-form.tsx'
import styles from './settings.module.css'

const COLUMNS = [
  { title: 'For', cell: ({ name }: TokenInfo) => <strong>{name}</strong> },
  { title: 'Role', cell: ({ role }: TokenInfo) => role },
  { title: 'State', cell: ({ state }: TokenInfo) => <StatePill kind="token" state={state} /> },
  {
    title: 'Tenants',
    isExtra: true,
    cell: ({ tenants }: TokenInfo) => (tenants.includes('*') ? 'all' : tenants.join(', ')),
  },
  {
    title: 'Expires',
    isExtra: true,
    cell: ({ expires_at }: TokenInfo) => (expires_at === null ? 'never' : <When at={expires_at} />),
  },
  { title: 'Made', isExtra: true, cell: ({ created_at }: TokenInfo) => <When at={created_at} /> },
  {
    title: 'Id',
    isExtra: true,
    cell: ({ token_id }: TokenInfo) => (
      <span className={styles.id}>
        <code>{token_id}</code> <CopyId id={token_id} />
      </span>
    ),
  },
  { title: 'Revoke', cell: (token: TokenInfo) => <Revoke token={token} /> },
]

/** Who may come in. */
export function Tokens() {
  const query = useQuery(tokensQuery)
  const [isMaking, setMaking] = useState(false)
  const nothing = (
    <Notice kind="empty" title="There is no token yet">
      A token lets a worker, a program or a colleague in. Make one above.
    </Notice>
  )
  return (
    <Panel
      title="Tokens"
      isFlush
      actions={
        <Button isPressed={isMaking} onClick={() => setMaking(!isMaking)}>
          Make a token
        </Button>
      }
    >
      {isMaking ? <NewTokenForm /> : null}
      <Answer query={query} instead={({ items }) => (items.length === 0 ? nothing : null)}>
        {({ items }) => (
          <PlainTable label="Tokens" items={items} columns={COLUMNS} keyOf={({ token_id }) => token_id} />
        )}
      </Answer>
    </Panel>
  )
}

function Revoke({ token }: { readonly token: TokenInfo }) {
  const { machines } = usePage()
  const act = useAct()
  const { name, role, state } = token
  const isOver = machines.token.states[state]?.terminal === true
  const revoke = () =>
    act({
      question: {
        title: `Revoke the token of ${name}?`,
        body: `Nobody gets in by it any more, as ${role} or otherwise. Sessions that it opened end. It cannot be undone.`,
        confirm: `Revoke the token of ${name}`,
        isDangerous: true,
      },
      does: (reason) => revokeToken(token, reason),
      said: () => `The token of ${name} lets nobody in any more`,
      topics: ['token'],
    })
  return (
    <Button
      look="danger"
      whyNot={isOver ? `It is ${state} already` : null}
      label={`Revoke the token of ${name}`}
      onClick={() => void revoke()}
    >
      Revoke
    </Button>
  )
}
