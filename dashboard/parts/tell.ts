// Short notices in the corner: what was done, or what could not be.

import { notifications } from '@mantine/notifications'
import { ProblemError } from '../client.ts'

export const tell = {
  done(message: string): void {
    notifications.show({ message, color: 'green' })
  },
  problem(error: Error): void {
    const request = error instanceof ProblemError ? error.requestId : undefined
    notifications.show({
      title: 'Something went wrong',
      message: error.message,
      color: 'red',
      // A fault of the service is reported with its request ID.
      ...(error instanceof ProblemError && error.status >= 500 && request !== undefined
        ? { title: `Something went wrong (${request})` }
        : {}),
      autoClose: 10_000,
    })
  },
}
