using './main.bicep'
param judge = 'grok-4'
