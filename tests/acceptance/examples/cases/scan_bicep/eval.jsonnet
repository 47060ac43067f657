{judge: 'gpt-4-0314'}
