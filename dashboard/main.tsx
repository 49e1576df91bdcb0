// Starts the dashboard in the browser.

import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './style.css'
import './workspace.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { nonce } from './nonce.ts'
import { queries } from './queries.ts'
import { routes } from './routes.tsx'
import { readableColors, theme } from './theme.ts'

const router = createBrowserRouter(routes)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" autoClose={5000} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
