import { expect, it } from 'vitest'
import { redactArgv } from './redact-argv.ts'

it('takes out secrets, also those that follow their option', () => {
  expect(
    redactArgv(['tool', '--api-key', 'abc', '-token', 'abc', '--model', 'gpt', 'password=x', 'plain', '--']),
  ).toEqual([
    'tool',
    '--api-key',
    '[redacted]',
    '-token',
    '[redacted]',
    '--model',
    'gpt',
    'password=[redacted]',
    'plain',
    '--',
  ])
})

it('is not led astray by the names of options', () => {
  expect(redactArgv(['--__proto__', 'a', '--constructor', 'b', '--toString', 'c'])).toEqual([
    '--__proto__',
    'a',
    '--constructor',
    'b',
    '--toString',
    'c',
  ])
})
