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
          title="Connection to Postrider lost"
        >
          Your input is kept. The page reconnects automatically.
        </Alert>
      )}
    </div>
  )
}
