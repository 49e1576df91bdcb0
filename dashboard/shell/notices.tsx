// Shows short notices in the corner, which screen readers announce.

import { CloseButton } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { notices } from '../parts/tell.ts'
import { common } from '../texts/en/common.ts'

export function Notices() {
  const shown = useSyncExternalStore(notices.subscribe, notices.current)
  return (
    <div className="notices" aria-live="polite">
      {shown.map(({ id, title, message, isProblem }) => (
        <div key={id} className="notice" role="alert" data-problem={isProblem || undefined}>
          <div>
            {title !== undefined && <strong>{title}</strong>}
            {message}
          </div>
          <CloseButton size="sm" aria-label={common.close} onClick={() => notices.close(id)} />
        </div>
      ))}
    </div>
  )
}
