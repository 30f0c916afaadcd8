import { WaybillError } from './waybill-error.ts'

/** There is no such file or folder. */
export class FileNotFound extends WaybillError {
  constructor(path: string, next: string) {
    super({ code: 'FILE_NOT_FOUND', message: `There is no ${path}`, next, details: { path } })
  }
}

/** The folder is there, but no ledger is in it. */
export class NotALedger extends WaybillError {
  constructor(path: string, next: string, cause?: unknown) {
    super({ code: 'NOT_A_LEDGER', message: `${path} holds no ledger`, next, details: { path }, cause })
  }

  static file(path: string, cause: unknown): NotALedger {
    return new NotALedger(path, 'It is a file. A ledger is a folder: give the folder that holds it.', cause)
  }
}

/** What was to be written is there already, and nothing is overwritten. */
export class FileExists extends WaybillError {
  constructor(path: string, next: string) {
    super({ code: 'FILE_EXISTS', message: `${path} is there already`, next, details: { path } })
  }
}

/** What is to be copied would get mixed up with what is there. */
export class NotEmpty extends WaybillError {
  constructor() {
    super({
      code: 'NOT_EMPTY',
      message: 'The target holds another ledger',
      next: 'Give a place with nothing in it: a new folder or file, or another schema. Only a copy of the same ledger that was cut off is gone on with.',
    })
  }
}

/** The question is about a time whose history was removed. */
export class HistoryGone extends WaybillError {
  constructor(at: string, oldest: string) {
    super({
      code: 'HISTORY_GONE',
      message: `The history of ${at} was removed; what is kept begins at ${oldest}`,
      next: 'Ask for a later time. How long history is kept is set with the option keepHistoryMs of its engine.',
      details: { at, oldest },
    })
  }
}

/** An old log is another one now: nothing is taken over twice, and nothing is left out without a word. */
export class LogChanged extends WaybillError {
  constructor(input: string) {
    super({
      code: 'LOG_CHANGED',
      message: `${input} was taken over before, and what was taken over has changed since`,
      next: 'Put it back as it was (`ledger rollback` has the backup), and new lines at its end or into a file of their own.',
      details: { input },
    })
  }
}

/** A large output was put into a file, and the file is not what it was. */
export class OutputLost extends WaybillError {
  constructor(path: string, why: string) {
    super({
      code: 'OUTPUT_LOST',
      message: `The output in ${path} cannot be read: ${why}`,
      next: 'Put the file back from a copy of the folder, or run the job again from the step before.',
      details: { path },
    })
  }
}
