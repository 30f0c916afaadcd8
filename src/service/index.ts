import '../node-version.ts'

export { type CallbackUrls, callbackUrlsAt } from '../core/job/callback-urls.ts'
export type { FailureClass, StepError } from '../core/job/commands.ts'
export type { Ref } from '../core/job/record.ts'
export type { Json, JsonObject } from '../core/json.ts'
export { InvalidInput } from '../errors/input-errors.ts'
export {
  BadMessage,
  BadSignature,
  BodyTooLarge,
  MissingPackage,
  NoHandler,
  ServiceBusy,
  ServiceStopping,
  StaleTimestamp,
} from '../errors/message-errors.ts'
export { WaybillError } from '../errors/waybill-error.ts'
export type { Listening, ListenOptions } from '../wire/listen.ts'
export type { NatsConnectionLike, NatsOptions } from '../wire/nats-options.ts'
export { NonRetryable, type NonRetryableOptions } from '../wire/non-retryable.ts'
export { Output } from '../wire/output.ts'
export type { Secrets } from '../wire/secrets.ts'
export { type SignedMessage, verifySignature } from '../wire/verify-signature.ts'
export { WorkAborted } from '../wire/work-aborted.ts'
export type { Logger } from '../world/logger.ts'
export { type ConsumeNatsOptions, type Consuming, consumeNats } from './consume-nats.ts'
export { createService } from './create-service.ts'
export type { Directive } from './directive.ts'
export type { Service, ServiceOptions, StopOptions, Taking } from './service.ts'
export type { ServiceWorld } from './service-world.ts'
export type { StepContext, StepHandler } from './step-handler.ts'
