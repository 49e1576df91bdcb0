// Button with the name of the user, and its menu, which is loaded when the pointer or the focus comes near.

import { Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { fetched } from '../fetched.ts'
import { useWasOpened } from '../parts/was-opened.ts'
import { useSession } from '../session.ts'
import { initialsOf } from './initials.ts'

const load = () => import('./person-menu-items.tsx')
const PersonMenuItems = lazy(() =>
  fetched(load).then(({ PersonMenuItems }) => ({ default: PersonMenuItems })),
)

export function PersonMenu() {
  const { user, account } = useSession()
  const [opened, setOpened] = useState(false)
  const wasOpened = useWasOpened(opened)
  const button = (
    <button
      type="button"
      className="person-button"
      aria-haspopup="menu"
      aria-expanded={opened}
      onPointerEnter={() => void load().catch(() => {})}
      onClick={() => setOpened(!opened)}
    >
      <span className="person-initials" aria-hidden="true">
        {initialsOf(user.name || user.email)}
      </span>
      <span style={{ minWidth: 0 }}>
        <Text fz="sm" fw={500} truncate title={user.name || user.email}>
          {user.name || user.email}
        </Text>
        <Text fz="xs" c="dimmed" truncate title={account.name}>
          {account.name}
        </Text>
      </span>
    </button>
  )
  if (!wasOpened) return button
  return (
    <Suspense fallback={button}>
      <PersonMenuItems opened={opened} onChange={setOpened} button={button} />
    </Suspense>
  )
}
