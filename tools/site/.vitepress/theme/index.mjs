// The default theme. The button of a block with commands copies the commands, not their output.
import DefaultTheme from 'vitepress/theme';

// The commands of a block: lines after "$ ", and those that continue them after a backslash.
function commandsOf(text) {
  const commands = [];
  let continues = false;
  for (const line of text.split('\n')) {
    if (continues || line.startsWith('$ ')) {
      commands.push(continues ? line : line.slice(2));
      continues = line.endsWith('\\');
    }
  }
  return commands.join('\n');
}

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (typeof document === 'undefined') return;
    document.addEventListener(
      'click',
      (event) => {
        const button = event.target.closest?.('.language-console > button.copy');
        const commands = button && commandsOf(button.parentElement.querySelector('code').textContent);
        if (!commands) return;
        event.stopPropagation();
        navigator.clipboard.writeText(commands);
        button.classList.add('copied');
        setTimeout(() => button.classList.remove('copied'), 2000);
      },
      { capture: true },
    );
  },
};
