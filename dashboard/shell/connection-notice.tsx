// Says above the page that the service does not answer, for as long as it does not.

import { Alert, Loader } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { connection } from '../connection.ts'

export function ConnectionNotice() {
  const state = useSyncExternalStore(connection.subscribe, connection.current)
  return (
    <div role="status">
      {state === 'down' && (
        <Alert
          color="yellow"
          radius={0}
          icon={<Loader size={16} color="yellow" />}
          title="The connection to Postrider is lost"
        >
          What you typed is kept. This page goes on by itself when the service answers again.
        </Alert>
      )}
    </div>
  )
}
