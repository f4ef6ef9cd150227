-- What the editor of docs/pictures/editor.svg is set up with: a language server, and colours of the terminal only.
vim.o.shadafile = 'NONE'
vim.o.swapfile = false
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.ruler = false
vim.o.laststatus = 0
vim.o.showmode = false
vim.o.shortmess = 'IFcS'
vim.o.completeopt = 'menuone,noinsert'
vim.opt.fillchars = { eob = ' ' }

vim.cmd('highlight clear | syntax on')
for group, colours in pairs({
  Comment = 'ctermfg=8',
  PreProc = 'ctermfg=5',
  Statement = 'ctermfg=1',
  Type = 'ctermfg=6',
  Constant = 'ctermfg=4',
  Special = 'ctermfg=4',
  LineNr = 'ctermfg=8',
  SignColumn = 'ctermbg=NONE',
  DiagnosticError = 'ctermfg=1',
  DiagnosticUnderlineError = 'cterm=underline',
  Pmenu = 'ctermfg=NONE ctermbg=7',
  PmenuSel = 'ctermfg=15 ctermbg=4',
  PmenuSbar = 'ctermbg=7',
  PmenuThumb = 'ctermbg=8',
}) do
  vim.cmd('highlight ' .. group .. ' cterm=NONE ctermfg=NONE ctermbg=NONE ' .. colours)
end

-- Of a message, its first line: the others are the help.
local function first_line(diagnostic)
  return vim.split(diagnostic.message, '\n')[1]
end
-- While a type is completed, too, the message is about what the line says.
vim.diagnostic.config({ update_in_insert = true, virtual_text = { format = first_line } })

-- FAIRWAY is the program, HEADERS the folder of <fairway/fairway.hpp>, CACHE a folder of its own.
local command = { vim.env.FAIRWAY, 'lsp', '--no-config', '--cache-dir', vim.env.CACHE, '--source-dir', 'src' }
local client = vim.lsp.start_client({
  name = 'fairway',
  cmd = vim.list_extend(command, { '--', '-std=c++20', '-I' .. vim.env.HEADERS }),
  root_dir = vim.fn.getcwd(),
})
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'cpp',
  callback = function(event)
    vim.lsp.buf_attach_client(event.buf, client)
    vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'
  end,
})
