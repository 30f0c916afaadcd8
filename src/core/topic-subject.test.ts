import { expect, it } from 'vitest'
import { documentTopic } from './document/topic.ts'
import { endedTopic } from './job/ended-topic.ts'
import { subjectOf } from './topic-subject.ts'

it('tells whose changes signal a topic', () => {
  expect(subjectOf(endedTopic('a:b'))).toEqual({ kind: 'job', id: 'a:b' })
  expect(subjectOf(documentTopic('job:1'))).toEqual({ kind: 'document', id: 'job:1' })
  expect(subjectOf('something else')).toBeNull()
})
