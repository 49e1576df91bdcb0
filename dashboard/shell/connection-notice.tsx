// Notice above the page while the service does not respond.

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
