from services.worker.app import main

main()
