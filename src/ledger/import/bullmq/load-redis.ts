import type { Redis, RedisOptions } from 'ioredis'
import { MissingPackage } from '../../../errors/message-errors.ts'

/** ioredis, which only those have to install who take over jobs of BullMQ. */
export async function newRedis(url: string, options: Omit<RedisOptions, 'replyMapping'>): Promise<Redis> {
  const { Redis: Client } = await import('ioredis').catch((cause) => {
    throw new MissingPackage({ what: 'Taking over jobs of BullMQ', packages: ['ioredis'] }, { cause })
  })
  return new Client(url, options)
}
