// Says above the page that the service does not answer, for as long as it does not.

import './connection-notice.css'
import { useSyncExternalStore } from 'react'
import { connection } from '../connection.ts'
import { common } from '../texts/en/common.ts'

export function ConnectionNotice() {
  const state = useSyncExternalStore(connection.subscribe, connection.current)
  return (
    <div role="status">
      {state === 'down' && (
        <div className="connection-notice">
          <strong>{common.connection.lost}</strong>
          {common.connection.kept}
        </div>
      )}
    </div>
  )
}
