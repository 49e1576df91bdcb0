// Menu of the user: their settings, light or dark, logout.

import { Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { remove } from '../client.ts'
import { forgetKept } from '../kept.ts'
import { tell } from '../parts/tell.ts'
import { useSession } from '../session.ts'

const SCHEMES = [
  ['light', 'Light', IconSun],
  ['dark', 'Dark', IconMoon],
  ['auto', 'System', IconDeviceDesktop],
] as const

export function PersonMenu() {
  const { user, account } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const logOut = useMutation({
    mutationFn: () => remove('/api/session'),
    // Everything that was shown goes with the page.
    onSuccess: () => {
      forgetKept()
      window.location.assign('/login')
    },
    onError: tell.problem,
  })
  return (
    <Menu position="top-start" width={224} withinPortal>
      <Menu.Target>
        <UnstyledButton px="sm" py={8}>
          <Group gap="sm" wrap="nowrap">
            <Avatar size={30} radius="xl" color="post" aria-hidden="true">
              {initialsOf(user.name || user.email)}
            </Avatar>
            <div style={{ minWidth: 0 }}>
              <Text fz="sm" fw={500} truncate>
                {user.name || user.email}
              </Text>
              <Text fz="xs" c="dimmed" truncate>
                {account.name}
              </Text>
            </div>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item component={Link} to="/account/profile" leftSection={<IconUser size={16} />}>
          Your profile
        </Menu.Item>
        <Menu.Divider />
        {SCHEMES.map(([scheme, label, Icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} />}
            fw={colorScheme === scheme ? 600 : 400}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logOut.mutate()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The first letters of the first two words that begin with one. */
const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => /^[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()
