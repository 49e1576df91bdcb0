// Menu of the user: settings, colour scheme, language and logout.

import { Menu, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { ProblemError, remove } from '../client.ts'
import { forgetKept } from '../kept.ts'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from '../parts/icons.tsx'
import { tell } from '../parts/tell.ts'
import { useSession } from '../session.ts'
import { shell } from '../texts/en/shell.ts'
import { chooseLanguage, LANGUAGES, type Language, language } from '../texts/language.ts'

const SCHEMES = [
  ['light', IconSun],
  ['dark', IconMoon],
  ['auto', IconDeviceDesktop],
] as const

interface PersonMenuItemsProps {
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  readonly button: ReactElement
}

export function PersonMenuItems({ opened, onChange, button }: PersonMenuItemsProps) {
  const { user } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const logOut = useMutation({
    mutationFn: () =>
      remove('/api/session').catch((error: unknown) => {
        // The session may have ended elsewhere, and the user still wants to leave the page.
        if (!(error instanceof ProblemError) || error.code !== 'authentication_failed') throw error
      }),
    // A page load removes all data of the user from the window.
    onSuccess: () => {
      forgetKept()
      window.location.assign('/login')
    },
    onError: tell.problem,
  })
  return (
    <Menu opened={opened} onChange={onChange} position="top-start" width={224} withinPortal>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item component={Link} to="/account/profile" leftSection={<IconUser size={16} />}>
          {shell.profile}
        </Menu.Item>
        <Menu.Divider />
        {SCHEMES.map(([scheme, Icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} />}
            fw={colorScheme === scheme ? 600 : 400}
            onClick={() => setColorScheme(scheme)}
          >
            {shell.colors[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{shell.language}</Menu.Label>
        {(Object.keys(LANGUAGES) as Language[]).map((one) => (
          <Menu.Item
            key={one}
            lang={one}
            fw={language === one ? 600 : 400}
            onClick={() => {
              chooseLanguage(one)
              // The texts of a language are part of the loaded files, so the page must reload.
              window.location.reload()
            }}
          >
            {LANGUAGES[one]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logOut.mutate()}>
          {shell.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
