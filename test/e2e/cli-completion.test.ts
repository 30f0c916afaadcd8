// Completion as a shell does it: the script is loaded, and asked what it would offer.
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LedgerState } from 'waybill'
import { Shell } from './cli-run.ts'
import { bashOffers, fishOffers, sortedWords, ZSH_SET_UPS, zshOffers } from './completing-shells.ts'
import { whyNoProgram } from './debian-package.ts'

const OFFERED = offers({
  'waybill ':
    'init submit run-job worker serve jobs docs queue runs workstreams pipeline schedule tokens import ledger why blame tail completion',
  'waybill do': 'docs',
  'waybill jobs ': 'list show cancel again expedite resolve annotate history',
  'waybill jobs list --state F': 'FAILED_FINAL',
  'waybill jobs expedite some:id --ignore ': 'dependencies limits gate attempt',
  'waybill queue ': 'add list stats pause resume limit',
  'waybill queue add some.json --on-dependency-failure ': 'fail skip release',
  'waybill runs ': 'list show create set seal cancel',
  'waybill runs list --state f': 'failed',
  'waybill schedule add some:id --catch-up ': 'one none all',
  'waybill submit --priority ': 'critical high normal low',
  'waybill serve --log-level ': 'debug info warn error',
  'waybill tail --kind s': 'schedule step',
  'waybill docs ': 'list show set history',
  'waybill --json docs s': 'show set',
  'waybill docs list --st': '--state',
  'waybill docs list --state ': Object.values(LedgerState).join(' '),
  'waybill docs list --state f': 'fetching fetched failed',
  'waybill docs list --state=f': 'fetching fetched failed',
  'waybill docs set ir': '',
  'waybill docs set some:ir': '',
  'waybill docs set some:id ir': 'ir_building ir_ready',
  'waybill docs set some:id fetching ir': '',
  'waybill ledger audit --count-by t': 'transition',
  'waybill ledger stuck --ten': '--tenant',
  'waybill completion ': 'bash zsh fish',
  'waybill init --led': '--ledger',
  // An option that every command takes can be anywhere, and its value can look like a command.
  'waybill --ledger somewhere docs list --order ': 'id changed',
  'waybill --ledger docs do': 'docs',
  'waybill docs --json list --order ': 'id changed',
  'waybill docs list --tenant some --json --order ': 'id changed',
  'waybill docs set --tenant=some some:id ir': 'ir_building ir_ready',
})

/** Where bash is offered nothing it looks for files by itself. */
const FILES_OFFERED = offers({
  'waybill --ledger ol': 'old.log',
  'waybill ledger migrate ol': 'old.log',
  'waybill ledger copy somewhere ol': 'old.log',
  'waybill submit --file ol': 'old.log',
  'waybill worker ol': 'old.log',
  'waybill serve ol': 'old.log',
  'waybill serve --callback-secret-file ol': 'old.log',
  'waybill worker --topology ol': 'old.log',
  'waybill run-job ol': 'old.log',
  'waybill queue add some.json ol': 'old.log',
  'waybill pipeline check ol': 'old.log',
  'waybill docs show ol': '',
  'waybill docs list --adapter ol': '',
})

describe('completion', () => {
  let shell: Shell

  beforeAll(() => {
    shell = new Shell()
    writeFileSync(shell.path('old.log'), '')
  })

  afterAll(() => shell[Symbol.dispose]())

  it('in bash offers commands, options and what they may be', () => {
    expect(bashOffers(shell, Object.keys(OFFERED))).toEqual(OFFERED)
  })

  it.for(Object.entries(ZSH_SET_UPS))(
    'in zsh, %s, offers the same, and files',
    async ([, setUp], context) => {
      const reason = await whyNoProgram('zsh')
      if (reason !== null) context.skip(`no zsh: ${reason}`)
      const expected = { ...OFFERED, ...FILES_OFFERED }
      expect(zshOffers(shell, setUp, Object.keys(expected))).toEqual(expected)
    },
  )

  it('in fish offers the same, and files', async (context) => {
    const reason = await whyNoProgram('fish')
    if (reason !== null) context.skip(`no fish: ${reason}`)
    const expected = { ...OFFERED, ...FILES_OFFERED }
    expect(fishOffers(shell, Object.keys(expected))).toEqual(expected)
  })
})

function offers(byLine: { readonly [line: string]: string }) {
  return Object.fromEntries(Object.entries(byLine).map(([line, words]) => [line, sortedWords(words)]))
}
