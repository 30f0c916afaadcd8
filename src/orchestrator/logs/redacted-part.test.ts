import { expect, it } from 'vitest'
import { redactText } from '../../ledger/redact.ts'
import { redactedPart } from './redacted-part.ts'

const KEY = `-----BEGIN PRIVATE KEY-----\n${'c2VjcmV0\n'.repeat(50)}-----END PRIVATE KEY-----`

it.each([
  ['a setting', 'before password=hunter2hunter2 after', 'hunter2'],
  ['in quotes, over lines', 'before password = "two\nwords" after', 'words'],
  ['a key', `before ${KEY} after`, 'c2VjcmV0'],
  ['an address', 'see postgres://ada:hunter2@db/x after', 'hunter2'],
  ['a token of ours', `wb_0123456789ab_${'s3cret'.repeat(8)} after`, 's3cret'],
])('a secret does not come out in parts, wherever it is cut: %s', (_, text, secret) => {
  const whole = redactText(text)
  expect(whole).not.toContain(secret)
  for (let from = 0; from <= text.length; from++) {
    for (const to of [from, from + 1, from + 3, text.length]) {
      const [before, part, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)]
      const shown = redactedPart({ before, part, after }, redactText)
      expect(whole, `${from} to ${to}`).toContain(shown)
    }
  }
})

it('what has no secret comes as it is', () => {
  expect(redactedPart({ before: 'aaa', part: 'aaa', after: 'aaa' }, redactText)).toBe('aaa')
  expect(redactedPart({ before: '', part: 'abc', after: '' }, redactText)).toBe('abc')
})
