// Completion as a shell does it: the script is loaded, and asked what it would offer.
import { spawnSync } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { LedgerState } from 'waybill'
import { Shell } from './cli-run.ts'

const shell = new Shell()

afterAll(() => shell[Symbol.dispose]())

describe('completion', () => {
  const LINES = [
    'waybill ',
    'waybill do',
    'waybill docs ',
    'waybill --json docs s',
    'waybill docs list --st',
    'waybill docs list --state f',
    'waybill docs set some:id ir',
    'waybill --ledger somewhere docs list --order ',
    'waybill ledger audit --count-by t',
    'waybill ledger stuck --ten',
    'waybill completion ',
    'waybill init --led',
  ]

  it('in bash offers commands, options and what they may be', () => {
    // What bash itself does with a line: words, the word under the cursor, and the function that was registered.
    const ask = `
      source <(waybill completion bash)
      complete -p waybill
      while IFS= read -r line; do
        COMP_LINE=$line COMP_POINT=\${#line}
        read -ra COMP_WORDS <<< "$line"
        [[ $line == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _waybill
        echo "\${COMPREPLY[*]}"
      done`
    const { stdout, stderr, status } = shell.bash(`${ask} <<'LINES'\n${LINES.join('\n')}\nLINES`)
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    expect(stdout.split('\n')).toEqual([
      'complete -o default -F _waybill waybill',
      'init docs ledger completion',
      'docs',
      'list show set history',
      'show set',
      '--state',
      'fetching fetched failed',
      'ir_building ir_ready',
      'id changed',
      'transition',
      '--tenant',
      'bash zsh fish',
      '--ledger',
      '',
    ])
  })

  it.each(['zsh', 'fish'])('for %s names every command and every state', async (name) => {
    const { status, stdout, stderr } = await shell.run(['completion', name])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const word of ['docs', 'stuck', 'compact', 'count-by', 'if-match', ...Object.values(LedgerState)]) {
      expect(stdout).toContain(word)
    }
    const parsed = spawnSync(name, ['-n'], { input: stdout, encoding: 'utf8' })
    // Not every machine has these shells.
    if (parsed.error === undefined)
      expect({ status: parsed.status, stderr: parsed.stderr }).toEqual({ status: 0, stderr: '' })
  })
})
